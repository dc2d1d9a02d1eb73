//! What a call knows: the settings of the server, and whether the client still waits.

use plansift_core::input::InputOptions;
use plansift_fleet::run::Opening;
use plansift_fleet::source::{InputEntry, Stop};
use plansift_plan::plan::{Accepts, PlanOptions};
use plansift_plan::record::{Extent, RecordOptions, Show};
use plansift_planfile::SchemaFiles;
use plansift_redact::secret::SecretOptions;

use crate::root::{Place, Root};

/// The settings of a server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder that calls may read.
    pub root: Root,
    /// How to read documents.
    pub read: PlanOptions,
    /// How to open files.
    pub access: InputOptions,
    /// The schemas of the providers, for plan files.
    pub schemas: SchemaFiles,
}

/// The context of one call.
pub struct Context<'c> {
    /// The settings of the server.
    pub settings: &'c Settings,
    /// Stops the reads of the call.
    pub stop: &'c Stop,
}

impl Context<'_> {
    /// Returns which values are secret. No argument of a tool changes that.
    pub fn secrets(&self) -> SecretOptions {
        SecretOptions::for_agent(self.settings.read, None)
    }

    /// Returns the options of a reader of plans.
    pub fn options(&self) -> RecordOptions {
        RecordOptions {
            read: self.settings.read,
            show: Show::Changes,
            extent: Extent::Paths,
            relevant: false,
            accepts: Accepts::Plans,
            patterns: None,
        }
    }

    /// Returns the input of a file. All tools open their documents through it.
    pub fn entry(&self, place: &Place) -> InputEntry {
        let schemas = self.settings.schemas.clone();
        InputEntry { schemas, ..InputEntry::of_file(place.path.clone()) }
    }

    /// Returns how to open the inputs of the call.
    pub fn opening(&self) -> Opening<'_> {
        let Settings { read, access, .. } = *self.settings;
        Opening { stop: Some(self.stop), ..Opening::new(read, access) }
    }
}
