//! Finds the plans in a bucket: the objects below a folder, or those that match a glob.
//!
//! A store lists keys in the order of their bytes. This listing sorts them component by component,
//! like paths, so it holds all keys in memory, up to [`Limits::listing`]. The first bytes of an
//! object in a folder decide whether it is a plan. Requests for the first bytes run ahead, several
//! at a time. The results keep the order of the objects.

use std::collections::VecDeque;
use std::io::Cursor;
use std::mem::size_of;
use std::path::Path;

use bytes::Bytes;
use object_store::ObjectMeta;
use tokio::sync::oneshot::{self, Receiver};

use super::address::Address;
use super::buckets::{Bucket, path};
use super::keys::{KeyGlob, Match};
use super::retry::request_with_retries;
use super::runtime::Stores;
use super::{Object, RetryPolicy, Version};
use crate::source::store::fault::StoreFault;
use crate::source::walk::{is_input, kind_of_head};
use crate::source::{Globs, InputEntry, Item, Skipped, Unlisted};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::limits::{Limit, Limits};
use plansift_plan::plan::InputKind;

/// The number of bytes of an object to examine.
const HEAD: u64 = 64 << 10;

/// The number of objects to examine at once.
const AHEAD: usize = 16;

/// Iterates over the plans in a bucket.
pub(in crate::source) struct Listing {
    /// The address of the folder or glob.
    address: Address,
    stores: Stores,
    glob: Option<KeyGlob>,
    bucket: Bucket,
    /// The objects that are not examined yet, in order.
    objects: std::vec::IntoIter<ObjectMeta>,
    ahead: VecDeque<Candidate>,
    /// The last skipped object or folder, with a final slash. The other objects of a skipped folder
    /// are not counted.
    skipped_folder: String,
}

/// An object that may be an input.
struct Candidate {
    meta: ObjectMeta,
    /// The pending first bytes; `None` if the glob names the object, which is then not examined.
    head: Option<Receiver<Result<Bytes>>>,
}

impl Listing {
    /// Lists the objects in a folder: their keys start with the key of the address and a slash.
    /// Fails if the folder cannot be listed. Also fails if the folder is empty and its address has
    /// no final slash.
    pub(in crate::source) fn of_folder(stores: &Stores, address: &Address) -> Result<Listing> {
        let folder = match address.key() {
            key if key.is_empty() || key.ends_with('/') => address.clone(),
            key => address.with_key(&format!("{key}/")),
        };
        let listing = Listing::new(stores, &folder, folder.key(), None)?;
        match listing.objects.len() {
            0 if *address != folder => Err(Error::new(StoreFault::NotFound)),
            _ => Ok(listing),
        }
    }

    /// Lists the objects that match the glob in the key of an address. Fails if the glob is
    /// malformed, or if the bucket cannot be listed.
    pub(in crate::source) fn of_glob(stores: &Stores, address: &Address) -> Result<Listing> {
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
        let (retry_policy, limit) = (stores.retry_policy(), stores.listing_max());
        let objects = all(bucket.clone(), prefix.to_owned(), retry_policy, limit);
        let objects = in_order(stores.wait(objects)??).into_iter();
        let (address, stores) = (address.clone(), stores.clone());
        let (ahead, skipped_folder) = (VecDeque::new(), String::new());
        Ok(Listing { address, stores, glob, bucket, objects, ahead, skipped_folder })
    }

    /// Returns the next input. Counts the objects that it skips.
    pub(in crate::source) fn next(&mut self, globs: &Globs, skipped: &mut Skipped) -> Option<Item> {
        loop {
            if let Err(error) = self.look_ahead(globs, skipped) {
                return Some(Err(Unlisted { source: self.address.to_string(), error }));
            }
            let Candidate { meta, head } = self.ahead.pop_front()?;
            let name = Path::new(meta.location.as_ref());
            let kind = match head.map(Receiver::blocking_recv) {
                Some(Ok(Ok(head))) => kind_of_head(Box::new(Cursor::new(head))),
                // Opening the object reports the error.
                _ => Ok(InputKind::Plan),
            };
            if is_input(&kind, name, globs) {
                return Some(Ok(self.entry(&meta)));
            }
            skipped.count_other(name, &kind);
        }
    }

    /// Requests the first bytes of the next objects.
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
                    if self.skips(meta.location.as_ref(), folder, globs, skipped) {
                        continue;
                    }
                    Some(self.ask_for_head(&meta)?)
                }
            };
            self.ahead.push_back(Candidate { meta, head });
        }
        Ok(())
    }

    /// Whether an object in a folder is hidden or excluded. Counts each skipped object or folder
    /// once. `folder` is the length of the listed folder's key with its final slash, in bytes.
    fn skips(&mut self, key: &str, folder: usize, globs: &Globs, skipped: &mut Skipped) -> bool {
        if !self.skipped_folder.is_empty() && key.starts_with(&self.skipped_folder) {
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
            self.skipped_folder = format!("{}/", &key[..folder + end]);
            return true;
        }
        false
    }

    fn ask_for_head(&self, meta: &ObjectMeta) -> Result<Receiver<Result<Bytes>>> {
        let (sender, receiver) = oneshot::channel();
        let (bucket, retry_policy) = (self.bucket.clone(), self.stores.retry_policy());
        let (path, len) = (meta.location.clone(), meta.size.min(HEAD));
        self.stores.handle()?.spawn(async move {
            // An empty object has no byte range to request.
            let head = match len {
                0 => Ok(Bytes::new()),
                len => {
                    request_with_retries(retry_policy, |marker| bucket.bytes(&path, 0..len, marker))
                        .await
                }
            };
            // An error means that the listing was dropped.
            let _ = sender.send(head);
        });
        Ok(receiver)
    }

    fn entry(&self, meta: &ObjectMeta) -> InputEntry {
        let address = self.address.with_key(meta.location.as_ref());
        InputEntry::of_object(
            Object { address, stores: self.stores.clone() },
            Version::listed(meta),
        )
    }
}

/// Requests all objects whose keys start with `prefix`. The keys take at most `limit` bytes of
/// memory.
async fn all(
    bucket: Bucket,
    prefix: String,
    retry_policy: RetryPolicy,
    limit: u64,
) -> Result<Vec<ObjectMeta>> {
    let mut objects = Vec::new();
    let mut used = 0;
    let (mut token, mut tokens) = (None, Cycle::default());
    loop {
        let page = request_with_retries(retry_policy, |marker| {
            bucket.list(&prefix, token.clone(), marker)
        })
        .await?;
        let bytes = page.result.objects.iter().map(memory).sum::<usize>();
        used += Limits::LISTING_PAGE.max(bytes as u64);
        if used > limit {
            return Err(Error::new(ErrorKind::Limit { limit: Limit::Listing, value: limit }));
        }
        objects.extend(page.result.objects);
        token = page.page_token.filter(|token| !token.is_empty());
        match &token {
            None => return Ok(objects),
            // A listing that returns to an earlier page would never end.
            Some(token) if tokens.has_met(token) => return Err(Error::new(StoreFault::Answer)),
            Some(_) => {}
        }
    }
}

/// The memory of an object in a listing, in bytes. A list that grows has up to twice its length.
fn memory(meta: &ObjectMeta) -> usize {
    let texts = [Some(meta.location.as_ref()), meta.e_tag.as_deref(), meta.version.as_deref()];
    2 * size_of::<ObjectMeta>() + texts.into_iter().flatten().map(str::len).sum::<usize>()
}

/// Finds a cycle in a sequence of tokens, with one token of memory: it remembers the tokens whose
/// numbers are powers of two.
#[derive(Default)]
struct Cycle {
    token: String,
    number: u64,
}

impl Cycle {
    /// Whether the next token equals the remembered one. If the tokens repeat after `n` tokens, one
    /// of the first `4 * n` tokens equals it.
    fn has_met(&mut self, token: &str) -> bool {
        let has_met = self.number > 0 && self.token == token;
        self.number += 1;
        if self.number.is_power_of_two() {
            token.clone_into(&mut self.token);
        }
        has_met
    }
}

/// Sorts objects in the order of paths. Drops empty objects that only mark folders.
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

#[cfg(test)]
mod tests {
    use super::Cycle;

    #[test]
    fn every_cycle_of_tokens_is_found_and_no_other_sequence() {
        let mut cycle = Cycle::default();
        assert!((0..1000).all(|number| !cycle.has_met(&number.to_string())));
        for (start, len) in [(0, 1), (0, 2), (1, 3), (5, 1), (100, 7), (3, 100)] {
            let mut cycle = Cycle::default();
            let token = |number: u64| match number < start {
                true => number.to_string(),
                false => (start + (number - start) % len).to_string(),
            };
            let found = (0..).position(|number| cycle.has_met(&token(number)));
            let found = found.expect("a cycle") as u64;
            assert!(found >= start + len && found <= 4 * (start + len), "{start} {len}: {found}");
        }
    }
}
