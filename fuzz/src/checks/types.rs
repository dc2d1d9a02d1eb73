//! A type constraint reads back as it is written, and no text makes a schema that panics.

use plansift::planfile::read_own_schemas;
use plansift::wire::schema::{Schema, Schemas};
use plansift::wire::{Type, from_msgpack, to_msgpack};

/// Reads `text` as a type, as provider schemas, and as the schemas of a plan file.
pub fn check(text: &[u8]) {
    if let Ok(ty) = Type::parse(text) {
        let written = ty.to_string();
        let again = Type::parse(written.as_bytes());
        assert_eq!(again.as_ref().map(Type::to_string), Ok(written));
        let bare = ty.without_optional();
        assert_eq!(bare.without_optional(), bare);
    }
    let schemas = [Schemas::from_json(text).ok(), read_own_schemas(text).ok()];
    for schemas in schemas.into_iter().flatten() {
        for provider in schemas.providers.values() {
            for schema in provider.resources.values().chain(provider.data_sources.values()) {
                check_schema(schema);
            }
        }
    }
}

/// The value of an absent block has the type that the schema implies.
fn check_schema(schema: &Schema) {
    let block = &schema.block;
    let (ty, value) = (block.implied_type(), block.empty_value());
    let written = to_msgpack(&value, &ty).expect("the value has the type");
    let read = from_msgpack(&written, &ty).expect("what was written is read");
    assert_eq!(to_msgpack(&read, &ty), Ok(written));
    block.sensitive_paths(&value);
    block.wrong_counts(&value);
}
