//! `hm agent --rpc`: JSON lines, commands named by `type`, flat events.
