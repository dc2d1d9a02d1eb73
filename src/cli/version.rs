//! The output of `-V` and `--version`.

/// The version, and the commit of the build if it is known.
pub const SHORT: &str = env!("PLANSIFT_VERSION");

/// [`SHORT`], the built-in features and the target.
pub const LONG: &str = if cfg!(feature = "stores") {
    concat!(env!("PLANSIFT_VERSION"), "\nfeatures: cli, stores\ntarget: ", env!("PLANSIFT_TARGET"))
} else {
    concat!(env!("PLANSIFT_VERSION"), "\nfeatures: cli\ntarget: ", env!("PLANSIFT_TARGET"))
};
