//! What `-V` and `--version` print.

/// The version, and the commit it was built from if that is known.
pub const SHORT: &str = env!("PLANSIFT_VERSION");

/// The same, with what was built in.
pub const LONG: &str = if cfg!(feature = "stores") {
    concat!(env!("PLANSIFT_VERSION"), "\nfeatures: cli, stores\ntarget: ", env!("PLANSIFT_TARGET"))
} else {
    concat!(env!("PLANSIFT_VERSION"), "\nfeatures: cli\ntarget: ", env!("PLANSIFT_TARGET"))
};
