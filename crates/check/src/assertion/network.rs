//! Networks in texts: addresses, and ranges in the notation of CIDR.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Network {
    /// The first address, as a number of 128 bits that begins with the bits of the address.
    bits: u128,
    is_v6: bool,
    /// The number of bits that all addresses share.
    pub prefix: u8,
}

/// The networks that the internet does not reach: private (RFC 1918, RFC 4193), shared (RFC 6598),
/// loopback and link-local ones.
const PRIVATE: [(IpAddr, u8); 9] = [
    (IpAddr::V4(Ipv4Addr::new(10, 0, 0, 0)), 8),
    (IpAddr::V4(Ipv4Addr::new(172, 16, 0, 0)), 12),
    (IpAddr::V4(Ipv4Addr::new(192, 168, 0, 0)), 16),
    (IpAddr::V4(Ipv4Addr::new(100, 64, 0, 0)), 10),
    (IpAddr::V4(Ipv4Addr::new(127, 0, 0, 0)), 8),
    (IpAddr::V4(Ipv4Addr::new(169, 254, 0, 0)), 16),
    (IpAddr::V6(Ipv6Addr::LOCALHOST), 128),
    (IpAddr::V6(Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0)), 7),
    (IpAddr::V6(Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0)), 10),
];

impl Network {
    /// Parses an address, or a range such as `10.0.0.0/8`. `None` for any other text.
    pub fn parse(text: &str) -> Option<Network> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let most = if address.is_ipv6() { 128 } else { 32 };
        let prefix = match prefix {
            Some(prefix) => prefix.parse().ok().filter(|prefix| *prefix <= most)?,
            None => most,
        };
        Some(Network::new(address, prefix))
    }

    fn new(address: IpAddr, prefix: u8) -> Network {
        let (bits, is_v6) = match address {
            IpAddr::V4(address) => (u128::from(u32::from(address)) << 96, false),
            IpAddr::V6(address) => (u128::from(address), true),
        };
        Network { bits, is_v6, prefix }
    }

    /// Whether every address of the network is private.
    pub fn is_private(self) -> bool {
        PRIVATE.into_iter().any(|(address, prefix)| Network::new(address, prefix).contains(self))
    }

    fn contains(self, other: Network) -> bool {
        let rest = 128 - u32::from(self.prefix);
        let start = |bits: u128| bits.checked_shr(rest).unwrap_or_default();
        self.is_v6 == other.is_v6
            && self.prefix <= other.prefix
            && start(self.bits) == start(other.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_private_as_a_whole_or_public() {
        for text in [
            "10.0.0.0/8",
            "10.1.2.3",
            "172.16.0.0/12",
            "172.31.255.255/32",
            "192.168.0.0/16",
            "100.127.0.0/16",
            "127.0.0.1",
            "169.254.169.254",
            "::1",
            "fd00::/8",
            "fc00::/7",
            "fe80::1/64",
        ] {
            assert!(Network::parse(text).expect("a network").is_private(), "{text}");
        }
        for text in [
            "0.0.0.0/0",
            "0.0.0.0/1",
            "128.0.0.0/1",
            "10.0.0.0/7",
            "172.32.0.0/16",
            "8.8.8.8",
            "192.0.0.0/2",
            "100.64.0.0/9",
            "::/0",
            "2001:db8::/32",
            "fc00::/6",
        ] {
            assert!(!Network::parse(text).expect("a network").is_private(), "{text}");
        }
        for text in ["", "x", "10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/", "10.0.0.0/8/8"] {
            assert_eq!(Network::parse(text), None, "{text}");
        }
    }
}
