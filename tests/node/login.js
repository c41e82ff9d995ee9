'use strict';
// Two things that minecraft-protocol has no option for: another compression threshold than 256, and encryption
// without asking anybody's session server.

const crypto = require('crypto');
const { load } = require('./packages');

/** For createServer's `beforeLogin`: compress from `threshold` bytes on, or never when it is negative. */
function withThreshold (threshold) {
  return client => {
    const write = client.write;
    const setThreshold = client.setCompressionThreshold;
    client.write = function (name, fields) {
      if (name !== 'compress') return write.call(this, name, fields);
      delete client.write;
      return threshold < 0 ? undefined : write.call(this, 'compress', { threshold });
    };
    client.setCompressionThreshold = function () {
      delete client.setCompressionThreshold;
      if (threshold >= 0) setThreshold.call(this, threshold);
    };
  };
}

/** Answer the question whether somebody has joined by ourselves, with the profile of a server without accounts.
 * Must be called before the server is created. */
function answerForSessionServer () {
  const resolved = load.resolve('minecraft-protocol');
  const yggdrasil = require('module').createRequire(resolved)('yggdrasil');
  yggdrasil.server = () => ({
    hasJoined (name, serverId, secret, key, done) {
      done(null, { id: offlineId(name), name, properties: [] });
    }
  });
}

/** The client is asked to encrypt, not to authenticate. */
function encryptOnly (client) {
  const write = client.write;
  client.write = function (name, fields) {
    const asked = name === 'encryption_begin' ? { ...fields, shouldAuthenticate: false } : fields;
    return write.call(this, name, asked);
  };
}

function offlineId (name) {
  const hash = crypto.createHash('md5').update(`OfflinePlayer:${name}`).digest();
  hash[6] = (hash[6] & 0x0f) | 0x30;
  hash[8] = (hash[8] & 0x3f) | 0x80;
  return hash.toString('hex');
}

module.exports = { answerForSessionServer, encryptOnly, withThreshold };
