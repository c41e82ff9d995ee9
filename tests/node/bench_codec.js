'use strict'
// How fast npm minecraft-protocol reads and writes packets. Reads JSON lines {name, hex} of clientbound play
// packets from standard input and prints one JSON object: name -> [reads a second, writes a second].
const mc = require('minecraft-protocol')

const reader = mc.createDeserializer({ state: 'play', isServer: false, version: '1.21.1', noErrorLogging: true })
const writer = mc.createSerializer({ state: 'play', isServer: true, version: '1.21.1' })

function perSecond (work) {
  let best = 0
  for (let round = 0; round < 30; round++) {
    let count = 0
    const start = process.hrtime.bigint()
    let spent = 0
    while (spent < 20e6) {
      for (let i = 0; i < 20; i++) work()
      count += 20
      spent = Number(process.hrtime.bigint() - start)
    }
    best = Math.max(best, count / spent * 1e9)
  }
  return best
}

const found = {}
for (const line of require('fs').readFileSync(0, 'utf8').split('\n')) {
  if (!line) continue
  const { name, hex } = JSON.parse(line)
  const payload = Buffer.from(hex, 'hex')
  // Its reader of top-bit-terminated arrays changes the buffer, so such packets get a copy each time.
  const next = name === 'entity_equipment' ? () => Buffer.from(payload) : () => payload
  const packet = reader.parsePacketBuffer(next()).data
  found[name] = [perSecond(() => reader.parsePacketBuffer(next())), perSecond(() => writer.createPacketBuffer(packet))]
}
console.log(JSON.stringify(found))
