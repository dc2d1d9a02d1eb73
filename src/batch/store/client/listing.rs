//! The plans of a bucket: those whose keys begin alike, as the files of a folder do, or match.
//!
//! A store lists keys by their bytes; here they come part by part, as paths do, so all of them are
//! held. What is only found is looked at by its first bytes: some are asked for ahead, and told in
//! order.

use std::collections::VecDeque;
use std::io::Cursor;
use std::path::Path;

use bytes::Bytes;
use object_store::ObjectMeta;
use tokio::sync::oneshot::{self, Receiver};

use super::address::{Address, fault};
use super::buckets::{Bucket, path};
use super::keys::{KeyGlob, Match};
use super::patience::ask;
use super::runtime::Stores;
use super::{Object, Patience, Version};
use crate::batch::walk::{is_input, look_into};
use crate::batch::{Entry, Globs, Item, Skipped, Unlisted};
use crate::error::{Result, StoreFault};
use crate::plan::Look;

/// How much of an object is asked for to look at it, in bytes.
const HEAD: u64 = 64 << 10;

/// How many are looked at at once.
const AHEAD: usize = 16;

/// The plans of a bucket, one by one.
pub(in crate::batch) struct Listing {
    /// A folder, or a glob.
    address: Address,
    stores: Stores,
    glob: Option<KeyGlob>,
    bucket: Bucket,
    /// What was not yet looked at, in order.
    objects: std::vec::IntoIter<ObjectMeta>,
    ahead: VecDeque<Candidate>,
    /// A folder that is passed over, with its slash: it is counted once.
    passed_over: String,
}

/// An object that may be an input.
struct Candidate {
    meta: ObjectMeta,
    /// Its first bytes, if it was only found.
    head: Option<Receiver<Result<Bytes>>>,
}

impl Listing {
    /// Lists what is in a folder: what begins with the key of the address and a slash.
    ///
    /// # Errors
    ///
    /// There is nothing, or it cannot be listed.
    pub(in crate::batch) fn of_folder(stores: &Stores, address: &Address) -> Result<Listing> {
        let folder = match address.key() {
            key if key.is_empty() || key.ends_with('/') => address.clone(),
            key => address.with_key(&format!("{key}/")),
        };
        let listing = Listing::new(stores, &folder, folder.key(), None)?;
        match listing.objects.len() {
            0 if *address != folder => Err(fault(StoreFault::NotFound)),
            _ => Ok(listing),
        }
    }

    /// Lists what a glob in the key of an address names.
    ///
    /// # Errors
    ///
    /// It is none, or the bucket cannot be listed.
    pub(in crate::batch) fn of_glob(stores: &Stores, address: &Address) -> Result<Listing> {
        let glob = KeyGlob::new(address.key())?;
        let prefix = glob.prefix().to_owned();
        Listing::new(stores, address, &prefix, Some(glob))
    }

    fn new(
        stores: &Stores,
        address: &Address,
        prefix: &str,
        glob: Option<KeyGlob>,
    ) -> Result<Listing> {
        path(prefix.strip_suffix('/').filter(|it| !it.is_empty()).unwrap_or(prefix))?;
        let bucket = stores.bucket(address)?;
        let objects = all(bucket.clone(), prefix.to_owned(), stores.patience());
        let objects = in_order(stores.wait(objects)??).into_iter();
        let (address, stores) = (address.clone(), stores.clone());
        let (ahead, passed_over) = (VecDeque::new(), String::new());
        Ok(Listing { address, stores, glob, bucket, objects, ahead, passed_over })
    }

    /// The next input; what is none is counted.
    pub(in crate::batch) fn next(&mut self, globs: &Globs, skipped: &mut Skipped) -> Option<Item> {
        loop {
            if let Err(error) = self.look_ahead(globs, skipped) {
                return Some(Err(Unlisted { source: self.address.to_string(), error }));
            }
            let Candidate { meta, head } = self.ahead.pop_front()?;
            let name = Path::new(meta.location.as_ref());
            let look = match head.map(Receiver::blocking_recv) {
                Some(Ok(Ok(head))) => look_into(Box::new(Cursor::new(head))),
                // Reading it tells why.
                _ => Ok(Look::Plan),
            };
            if is_input(&look, name, globs) {
                return Some(Ok(self.entry(&meta)));
            }
            skipped.count_other(name, &look);
        }
    }

    /// Asks for the first bytes of the next objects.
    fn look_ahead(&mut self, globs: &Globs, skipped: &mut Skipped) -> Result<()> {
        while self.ahead.len() < AHEAD
            && let Some(meta) = self.objects.next()
        {
            let place = match &self.glob {
                None => Some(Match::Below(self.address.key().len())),
                Some(glob) => glob.find(meta.location.as_ref()),
            };
            let head = match place {
                None => continue,
                Some(Match::Whole) => None,
                Some(Match::Below(folder)) => {
                    if self.passes_over(meta.location.as_ref(), folder, globs, skipped) {
                        continue;
                    }
                    Some(self.ask_for_head(&meta)?)
                }
            };
            self.ahead.push_back(Candidate { meta, head });
        }
        Ok(())
    }

    /// Whether something in a folder is not to be seen; `folder`: length of its key with the slash.
    fn passes_over(
        &mut self,
        key: &str,
        folder: usize,
        globs: &Globs,
        skipped: &mut Skipped,
    ) -> bool {
        if !self.passed_over.is_empty() && key.starts_with(&self.passed_over) {
            return true;
        }
        let below = key.get(folder..).unwrap_or_default();
        let parts = below.match_indices('/').map(|(at, _)| at).chain([below.len()]);
        for end in parts {
            let part = Path::new(&below[..end]);
            let is_hidden = below[..end].rsplit('/').next().is_some_and(|it| it.starts_with('.'));
            let count = match () {
                () if is_hidden => &mut skipped.hidden,
                () if globs.excludes(part) => &mut skipped.excluded,
                () if end == below.len() && !globs.includes(part) => &mut skipped.excluded,
                () => continue,
            };
            *count += 1;
            self.passed_over = format!("{}/", &key[..folder + end]);
            return true;
        }
        false
    }

    fn ask_for_head(&self, meta: &ObjectMeta) -> Result<Receiver<Result<Bytes>>> {
        let (give, take) = oneshot::channel();
        let (bucket, patience) = (self.bucket.clone(), self.stores.patience());
        let (path, len) = (meta.location.clone(), meta.size.min(HEAD));
        self.stores.handle()?.spawn(async move {
            // Nothing can be asked for of an empty object.
            let head = match len {
                0 => Ok(Bytes::new()),
                len => ask(patience, |marker| bucket.bytes(&path, 0..len, marker)).await,
            };
            // It may be that nobody wants to know.
            let _ = give.send(head);
        });
        Ok(take)
    }

    fn entry(&self, meta: &ObjectMeta) -> Entry {
        let address = self.address.with_key(meta.location.as_ref());
        Entry::of_object(Object { address, stores: self.stores.clone() }, Version::listed(meta))
    }
}

/// Asks for all objects whose keys begin so.
async fn all(bucket: Bucket, prefix: String, patience: Patience) -> Result<Vec<ObjectMeta>> {
    let mut objects = Vec::new();
    let mut token = None;
    loop {
        let page = ask(patience, |marker| bucket.list(&prefix, token.clone(), marker)).await?;
        objects.extend(page.result.objects);
        match page.page_token.filter(|token| !token.is_empty()) {
            None => return Ok(objects),
            // Pages that lead to themselves never end.
            next if next == token => return Err(fault(StoreFault::Answer)),
            next => token = next,
        }
    }
}

/// Brings objects into the order of paths, without those that stand for folders.
fn in_order(mut objects: Vec<ObjectMeta>) -> Vec<ObjectMeta> {
    fn parts(meta: &ObjectMeta) -> impl Iterator<Item = &str> {
        meta.location.as_ref().split('/')
    }
    objects.sort_unstable_by(|a, b| parts(a).cmp(parts(b)));
    let folders: Vec<bool> = objects
        .iter()
        .zip(objects.iter().skip(1))
        .map(|(meta, next)| meta.size == 0 && next.location.prefix_matches(&meta.location))
        .chain([false])
        .collect();
    let mut folders = folders.into_iter();
    objects.retain(|_| !folders.next().unwrap_or_default());
    objects
}
