//! Task A with serde_json: typed fields, everything else ignored, one element at a time.

use std::borrow::Cow;

use plansift_peers::{List, mapped};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, SeqAccess, Visitor};

#[derive(serde::Deserialize)]
struct Element<'a> {
    #[serde(borrow)]
    address: Cow<'a, str>,
    #[serde(borrow)]
    change: Change<'a>,
}

#[derive(serde::Deserialize)]
struct Change<'a> {
    #[serde(borrow)]
    actions: Vec<&'a str>,
}

/// The plan; elements of `resource_changes` go to the list while they are parsed.
struct Plan<'l>(&'l mut List);

impl<'de> DeserializeSeed<'de> for Plan<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Plan<'_> {
    type Value = ();

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("a plan")
    }

    fn visit_map<M: serde::de::MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            if key == "resource_changes" {
                map.next_value_seed(Changes(self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

struct Changes<'l>(&'l mut List);

impl<'de> DeserializeSeed<'de> for Changes<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Changes<'_> {
    type Value = ();

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("resource changes")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<(), S::Error> {
        while let Some(element) = seq.next_element::<Element>()? {
            self.0.add(&element.change.actions, &element.address);
        }
        Ok(())
    }
}

fn main() {
    let plan = mapped();
    let mut list = List::to_stdout();
    let mut reader = serde_json::Deserializer::from_slice(&plan);
    Plan(&mut list).deserialize(&mut reader).expect("a plan");
    reader.end().expect("nothing behind the plan");
    list.finish();
}
