//! How a word of the vocabulary becomes a serde record and back.
//!
//! A word's stored form is listed in `words` with one of the three macros
//! below. They take the vocabulary's own types apart and put them together
//! with all members named, so that a member or a variant that the vocabulary
//! gains does not compile before it has a stored form.

use serde::{Deserialize, Serialize};

use super::{Attachments, BlobSource, FormatError};

/// A word that can be stored.
pub(super) trait Stored: Sized + 'static {
    /// What serde writes and reads, borrowing from the word or the bytes.
    type Record<'a>: Serialize + Deserialize<'a>;

    /// The record of this word; its large values go to `large`.
    fn to_record<'a>(
        &'a self,
        large: &mut Attachments<'a>,
    ) -> Result<Self::Record<'a>, FormatError>;

    /// The word of this record; its large values come from `blobs`.
    fn from_record(
        record: Self::Record<'_>,
        blobs: &mut dyn BlobSource,
    ) -> Result<Self, FormatError>;
}

/// A struct as a JSON object: `key <- member: type`, the key frozen.
macro_rules! stored_struct {
    ($word:ident as $record:ident { $($key:ident <- $member:ident: $inner:ty),+ $(,)? }) => {
        #[derive(Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(in crate::store::format) struct $record<'a> {
            $(#[serde(borrow)] $key: <$inner as Stored>::Record<'a>,)+
        }

        impl Stored for $word {
            type Record<'a> = $record<'a>;

            fn to_record<'a>(
                &'a self,
                large: &mut Attachments<'a>,
            ) -> Result<$record<'a>, FormatError> {
                let $word { $($member),+ } = self;
                Ok($record { $($key: <$inner>::to_record($member, large)?,)+ })
            }

            fn from_record(
                record: $record<'_>,
                blobs: &mut dyn BlobSource,
            ) -> Result<$word, FormatError> {
                Ok($word { $($member: <$inner>::from_record(record.$key, blobs)?,)+ })
            }
        }
    };
}

/// An enum without data as a JSON string: `Variant = "name"`, the name frozen.
macro_rules! stored_names {
    ($word:ident as $record:ident { $($variant:ident = $name:literal),+ $(,)? }) => {
        #[derive(Serialize, Deserialize)]
        pub(in crate::store::format) enum $record {
            $(#[serde(rename = $name)] $variant,)+
        }

        impl Stored for $word {
            type Record<'a> = $record;

            fn to_record(&self, _: &mut Attachments<'_>) -> Result<$record, FormatError> {
                Ok(match self { $($word::$variant => $record::$variant,)+ })
            }

            fn from_record(
                record: $record,
                _: &mut dyn BlobSource,
            ) -> Result<$word, FormatError> {
                Ok(match record { $($record::$variant => $word::$variant,)+ })
            }
        }
    };
}

/// An enum with data as `{"name":{..}}`: `Variant = "name" { key <- member:
/// type }`, where the member of a tuple variant is its number. Variants that
/// have no stored form stand after `never`.
macro_rules! stored_enum {
    (
        $word:ident as $record:ident {
            $($variant:ident = $name:literal {
                $($key:ident <- $member:tt: $inner:ty),* $(,)?
            }),+ $(,)?
        }
        $(never { $($never:ident),+ $(,)? })?
    ) => {
        #[derive(Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(in crate::store::format) enum $record<'a> {
            $(
                #[serde(rename = $name)]
                $variant { $(#[serde(borrow)] $key: <$inner as Stored>::Record<'a>,)* },
            )+
        }

        impl Stored for $word {
            type Record<'a> = $record<'a>;

            fn to_record<'a>(
                &'a self,
                large: &mut Attachments<'a>,
            ) -> Result<$record<'a>, FormatError> {
                let _ = &large;
                Ok(match self {
                    $($word::$variant { $($member: $key),* } => $record::$variant {
                        $($key: <$inner>::to_record($key, large)?,)*
                    },)+
                    $($($word::$never { .. } => {
                        return Err(FormatError::NotDurable(stringify!($never)));
                    })+)?
                })
            }

            fn from_record(
                record: $record<'_>,
                blobs: &mut dyn BlobSource,
            ) -> Result<$word, FormatError> {
                let _ = &blobs;
                Ok(match record {
                    $($record::$variant { $($key),* } => $word::$variant {
                        $($member: <$inner>::from_record($key, blobs)?,)*
                    },)+
                })
            }
        }
    };
}

pub(super) use {stored_enum, stored_names, stored_struct};
