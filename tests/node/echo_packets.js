'use strict'
// Reads JSON lines {state, direction, hex}, lets npm minecraft-protocol read each packet and write it again, and
// prints one JSON list of {name, size, hex} or {error}: size is how many bytes it took.
const mc = require('minecraft-protocol')

const made = {}
function both (state, direction) {
  const key = state + direction
  const toServer = direction === 'toServer'
  made[key] ||= [
    mc.createDeserializer({ state, isServer: toServer, version: '1.21.1', noErrorLogging: true }),
    mc.createSerializer({ state, isServer: !toServer, version: '1.21.1' })
  ]
  return made[key]
}

const found = []
for (const line of require('fs').readFileSync(0, 'utf8').split('\n')) {
  if (!line) continue
  const { state, direction, hex } = JSON.parse(line)
  const [reader, writer] = both(state, direction)
  try {
    const read = reader.proto.parsePacketBuffer('packet', Buffer.from(hex, 'hex'))
    found.push({ name: read.data.name, size: read.metadata.size, hex: writer.createPacketBuffer(read.data).toString('hex') })
  } catch (error) {
    found.push({ error: String(error.message).split('\n')[0] })
  }
}
console.log(JSON.stringify(found))
