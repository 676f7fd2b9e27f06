//! Which addresses are the public network's, and names resolved to those only.
//!
//! The client connects to what this resolver gives, and to nothing else: what
//! was checked is what is reached, whatever a second look-up would say.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// As many addresses of one name are tried.
const MOST_ADDRESSES: usize = 16;

/// Whether an address belongs to the public network: not this machine, not a
/// private or shared network, no multicast, none that metadata services use,
/// and none that carries such an IPv4 address inside.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let reserved = match (a, b, c) {
        (0 | 10 | 127, _, _) => true,
        (100, 64..=127, _) => true,
        (169, 254, _) => true,
        (172, 16..=31, _) => true,
        (192, 0, 0 | 2) => true,
        (192, 88, 99) => true,
        (192, 168, _) => true,
        (198, 18 | 19, _) => true,
        (198, 51, 100) | (203, 0, 113) => true,
        // A metadata service of one provider stands at a public-looking address.
        (168, 63, 129) => address == Ipv4Addr::new(168, 63, 129, 16),
        (224.., _, _) => true,
        _ => false,
    };
    !reserved
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let s = address.segments();
    let inner = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match s {
        // NAT64 of the well-known prefix: what it carries counts.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => inner(high, low),
        // 6to4.
        [0x2002, high, low, ..] => inner(high, low),
        // Teredo, ORCHID, benchmarks and other special uses; documentation.
        [0x2001, 0..=0x01ff, ..] | [0x2001, 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => false,
        // All that is assigned for global use. Mapped and compatible IPv4,
        // local-use NAT64, unique local, link-local, site-local and multicast
        // addresses lie outside.
        [0x2000..=0x3fff, ..] => true,
        _ => false,
    }
}

/// Resolves names, and leaves out what is not public.
pub(super) struct Filtered {
    /// Whether addresses of this machine and its networks pass, too.
    pub allow_private: bool,
}

impl Resolve for Filtered {
    fn resolve(&self, name: Name) -> Resolving {
        let allow_private = self.allow_private;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let all: Vec<SocketAddr> = found.take(MOST_ADDRESSES).collect();
            // One bad address condemns the name: a name that leads both ways is
            // how a check is led astray.
            if !allow_private && let Some(bad) = all.iter().find(|it| !is_public(it.ip())) {
                let ip = bad.ip();
                return Err(format!("{} leads to {ip}, {NOT_PUBLIC}", name.as_str()).into());
            }
            let addresses: Addrs = Box::new(all.into_iter());
            Ok(addresses)
        })
    }
}

/// The words for an address that is refused.
pub(super) const NOT_PUBLIC: &str =
    "which is not an address of the public network: such are not fetched (web.allow_private)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_public_network_are_public() {
        let refused = "0.0.0.0 10.1.2.3 100.64.0.1 100.127.255.255 127.0.0.1 127.9.9.9 169.254.169.254 \
            172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.7 \
            203.0.113.9 168.63.129.16 224.0.0.1 240.0.0.1 255.255.255.255 \
            :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::7f00:1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe \
            64:ff9b:1::808:808 2002:7f00:1:: 2002:c0a8:101::1 2001::1 2001:db8::1 3fff::1 \
            fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1 100::1 4000::1";
        for text in refused.split_whitespace() {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        let public = "1.1.1.1 8.8.8.8 100.63.0.1 100.128.0.1 172.15.0.1 172.32.0.1 168.63.129.17 \
            192.0.1.1 223.255.255.255 2606:4700::1111 64:ff9b::808:808 2002:808:808::1 \
            2001:4860:4860::8888";
        for text in public.split_whitespace() {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }
}
