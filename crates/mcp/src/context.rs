//! What a call knows: the settings of the server, the plans that it may read, and whether the
//! client still waits.

use std::fs::File;
use std::sync::Arc;

use plansift_core::input::{FileState, InputOptions};
use plansift_fleet::run::Opening;
use plansift_fleet::source::{InputEntries, InputEntry, Selection, Stop, Stores};
use plansift_plan::plan::{Accepts, PlanOptions};
use plansift_plan::record::{Extent, RecordOptions, Show};
use plansift_planfile::SchemaFiles;
use plansift_redact::secret::SecretOptions;

use crate::answer::Refusal;
use crate::root::{Place, Root};
use crate::stores::AllowedStores;
use crate::window::WindowCache;

/// The settings of a server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder that calls may read.
    pub root: Root,
    /// The addresses of stores below which calls may read, too.
    pub stores: AllowedStores,
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
    /// The changes that earlier calls have read.
    pub windows: &'c WindowCache,
    /// Stops the reads of the call.
    pub stop: &'c Stop,
    /// The connections of the call to stores.
    pub connections: &'c Stores,
}

/// A plan that a call names.
pub struct NamedPlan {
    /// How to open it. All tools open their documents through it.
    pub entry: InputEntry,
    /// The path from the root, or the address in a store.
    pub name: String,
    /// The state of a file. The entry has the version of an object.
    pub state: Option<FileState>,
    /// Keeps a file open, because the path of the entry names it by its descriptor.
    _file: Option<Arc<File>>,
}

const NAME_A_PLAN: &str = "name an object below an address that the server allows, as in \
                           s3://bucket/plans/a.json";

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
            documents: Vec::new(),
            patterns: None,
        }
    }

    /// Returns the plan with a name: a file below the root, or an object that the server allows.
    pub fn plan(&self, name: &str) -> Result<NamedPlan, Refusal> {
        if !self.settings.stores.allow(name) {
            return Ok(self.file(self.settings.root.file(name)?));
        }
        let selection = Selection {
            names: vec![name.into()],
            stores: self.connections.clone(),
            schemas: self.settings.schemas.clone(),
            ..Selection::default()
        };
        match InputEntries::new(&selection).next() {
            // A folder would yield an object with another name.
            Some(Ok(entry)) if entry.source() == name => {
                Ok(NamedPlan { entry, name: name.to_owned(), state: None, _file: None })
            }
            Some(Err(unlisted)) => Err(Refusal::new(unlisted.error.to_string(), NAME_A_PLAN)),
            _ => Err(Refusal::new("this names no object", NAME_A_PLAN)),
        }
    }

    /// Returns the plan in a file.
    pub fn file(&self, place: Place) -> NamedPlan {
        let Place { path, name, state, file } = place;
        let schemas = self.settings.schemas.clone();
        let entry = InputEntry { schemas, ..InputEntry::of_file(path) };
        NamedPlan { entry, name, state: Some(state), _file: file }
    }

    /// Returns how to open the inputs of the call.
    pub fn opening(&self) -> Opening<'_> {
        let Settings { read, access, .. } = *self.settings;
        Opening { stop: Some(self.stop), ..Opening::new(read, access) }
    }
}
