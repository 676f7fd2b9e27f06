//! Numbers, names, and words in words: options, lists, pairs.

use std::borrow::Cow;
use std::sync::Arc;

use greenroom_protocol::session::{
    AgentId, CallId, Cost, EntryId, Millis, Mode, SessionId, TurnId,
};

use super::stored::Stored;
use super::{Attachments, BlobSource, FormatError};

/// Numbers and truth values are their own records.
macro_rules! stored_plainly {
    ($($plain:ty),+) => {$(
        impl Stored for $plain {
            type Record<'a> = $plain;

            fn to_record(&self, _: &mut Attachments<'_>) -> Result<$plain, FormatError> {
                Ok(*self)
            }

            fn from_record(record: $plain, _: &mut dyn BlobSource) -> Result<$plain, FormatError> {
                Ok(record)
            }
        }
    )+};
}

stored_plainly!(bool, u32, u64, i32, usize);

/// Names that are numbers are stored as such.
macro_rules! stored_numbers {
    ($($word:ident),+) => {$(
        impl Stored for $word {
            type Record<'a> = u64;

            fn to_record(&self, _: &mut Attachments<'_>) -> Result<u64, FormatError> {
                Ok(self.0)
            }

            fn from_record(record: u64, _: &mut dyn BlobSource) -> Result<$word, FormatError> {
                Ok($word(record))
            }
        }
    )+};
}

stored_numbers!(Cost, EntryId, Millis, TurnId);

/// Names that are texts are stored as such. They are short, or else refused:
/// nothing that names something is a large value.
macro_rules! stored_ids {
    ($($word:ident),+) => {$(
        impl Stored for $word {
            type Record<'a> = Cow<'a, str>;

            fn to_record<'a>(
                &'a self,
                _: &mut Attachments<'a>,
            ) -> Result<Cow<'a, str>, FormatError> {
                Ok(Cow::Borrowed(self.as_str()))
            }

            fn from_record(
                record: Cow<'_, str>,
                _: &mut dyn BlobSource,
            ) -> Result<$word, FormatError> {
                Ok($word::new(record))
            }
        }
    )+};
}

stored_ids!(AgentId, CallId, SessionId);

/// A mode is stored by its name: `ask`, `auto`, `plan` and `full` are built in
/// for good, any other is the configuration's.
impl Stored for Mode {
    type Record<'a> = Cow<'a, str>;

    fn to_record<'a>(&'a self, _: &mut Attachments<'a>) -> Result<Cow<'a, str>, FormatError> {
        Ok(Cow::Borrowed(self.name()))
    }

    fn from_record(record: Cow<'_, str>, _: &mut dyn BlobSource) -> Result<Mode, FormatError> {
        Ok(Mode::named(&record))
    }
}

impl<T: Stored> Stored for Option<T> {
    type Record<'a> = Option<T::Record<'a>>;

    fn to_record<'a>(
        &'a self,
        large: &mut Attachments<'a>,
    ) -> Result<Option<T::Record<'a>>, FormatError> {
        self.as_ref().map(|word| word.to_record(large)).transpose()
    }

    fn from_record(
        record: Option<T::Record<'_>>,
        blobs: &mut dyn BlobSource,
    ) -> Result<Option<T>, FormatError> {
        record.map(|one| T::from_record(one, blobs)).transpose()
    }
}

impl<T: Stored> Stored for Vec<T> {
    type Record<'a> = Vec<T::Record<'a>>;

    fn to_record<'a>(
        &'a self,
        large: &mut Attachments<'a>,
    ) -> Result<Vec<T::Record<'a>>, FormatError> {
        self.iter().map(|word| word.to_record(large)).collect()
    }

    fn from_record(
        record: Vec<T::Record<'_>>,
        blobs: &mut dyn BlobSource,
    ) -> Result<Vec<T>, FormatError> {
        record
            .into_iter()
            .map(|one| T::from_record(one, blobs))
            .collect()
    }
}

impl<T: Stored> Stored for Arc<T> {
    type Record<'a> = T::Record<'a>;

    fn to_record<'a>(&'a self, large: &mut Attachments<'a>) -> Result<T::Record<'a>, FormatError> {
        T::to_record(self, large)
    }

    fn from_record(
        record: T::Record<'_>,
        blobs: &mut dyn BlobSource,
    ) -> Result<Arc<T>, FormatError> {
        T::from_record(record, blobs).map(Arc::new)
    }
}

impl<A: Stored, B: Stored> Stored for (A, B) {
    type Record<'a> = (A::Record<'a>, B::Record<'a>);

    fn to_record<'a>(
        &'a self,
        large: &mut Attachments<'a>,
    ) -> Result<Self::Record<'a>, FormatError> {
        Ok((self.0.to_record(large)?, self.1.to_record(large)?))
    }

    fn from_record(
        record: Self::Record<'_>,
        blobs: &mut dyn BlobSource,
    ) -> Result<(A, B), FormatError> {
        let (first, second) = record;
        Ok((
            A::from_record(first, blobs)?,
            B::from_record(second, blobs)?,
        ))
    }
}
