//! What the contract does not say: opening, failing disks, damaged files.

mod ahead;
mod damage;
mod failures;
mod opening;

use std::path::Path;

use greenroom_actors::ports::StoreError;
use greenroom_protocol::session::SessionId;
use redb::{Database, TableDefinition};

use super::{RedbSettings, RedbStore};

fn open(path: &Path) -> Result<RedbStore, StoreError> {
    RedbStore::open(path, RedbSettings::default())
}

/// The message of an opening that must fail.
fn refusal(path: &Path) -> String {
    match open(path) {
        Ok(_) => panic!("{} was opened", path.display()),
        Err(error) => error.message,
    }
}

/// Writes into a table as no store would.
fn tamper<K: redb::Key + 'static, V: redb::Value + 'static>(
    path: &Path,
    table: TableDefinition<'_, K, V>,
    key: K::SelfType<'_>,
    value: V::SelfType<'_>,
) {
    let database = Database::create(path).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction
        .open_table(table)
        .unwrap()
        .insert(key, value)
        .unwrap();
    transaction.commit().unwrap();
}
