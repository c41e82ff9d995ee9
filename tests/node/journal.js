'use strict';
// What happened, one JSON object a line, each with `t`: milliseconds since the start.

const fs = require('fs');

class Journal {
  /** `file` may be empty: then nothing is written. */
  constructor (file) {
    this.started = Date.now();
    this.descriptor = file ? fs.openSync(file, 'w') : null;
  }

  /** Written at once, so that a reader sees everything that came before an answer on the wire. */
  write (entry) {
    if (this.descriptor === null) return;
    fs.writeSync(this.descriptor, JSON.stringify({ t: Date.now() - this.started, ...entry }, plain) + '\n');
  }

  /** A packet as a client sent it. */
  packet (client, data, meta, buffer) {
    const from = client.username || String(client.socket.remotePort);
    this.write({ packet: meta.name, from, state: meta.state, length: buffer ? buffer.length : 0, data });
  }

  /** Something the server did: a block broken, a hit, damage. */
  event (kind, facts) {
    this.write({ event: kind, ...facts });
  }

  /** Something a client must not do. */
  judge (player, kind, facts = {}) {
    player.violations += 1;
    this.write({ judge: kind, who: player.name, ...facts });
  }
}

/** JSON has neither 64-bit integers nor bytes. */
function plain (key, value) {
  if (typeof value === 'bigint') return value.toString();
  if (value && value.type === 'Buffer' && Array.isArray(value.data)) return `${value.data.length} bytes`;
  return value;
}

module.exports = { Journal };
