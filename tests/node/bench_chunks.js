'use strict'
// How fast prismarine-chunk takes in chunk columns. Reads JSON lines {hex} of map_chunk packets from standard
// input and prints {parse, load}: columns a second from bytes to fields, and from fields to a column.
const registry = require('prismarine-registry')('1.21.1')
const Chunk = require('prismarine-chunk')(registry)
const mc = require('minecraft-protocol')

const reader = mc.createDeserializer({ state: 'play', isServer: false, version: '1.21.1', noErrorLogging: true })
const payloads = require('fs').readFileSync(0, 'utf8').split('\n').filter(Boolean).map(line => Buffer.from(JSON.parse(line).hex, 'hex'))
const now = () => Number(process.hrtime.bigint()) / 1e9

let parse = 0
let load = 0
for (let round = 0; round < 4; round++) {
  const start = now()
  const fields = payloads.map(payload => reader.parsePacketBuffer(payload).data.params)
  const middle = now()
  for (const p of fields) {
    const chunk = new Chunk({ minY: -64, worldHeight: 384, x: p.x, z: p.z })
    chunk.load(p.chunkData)
    chunk.loadParsedLight(p.skyLight, p.blockLight, p.skyLightMask, p.blockLightMask, p.emptySkyLightMask, p.emptyBlockLightMask)
  }
  const end = now()
  parse = Math.max(parse, payloads.length / (middle - start))
  load = Math.max(load, payloads.length / (end - middle))
}
console.log(JSON.stringify({ parse, load }))
