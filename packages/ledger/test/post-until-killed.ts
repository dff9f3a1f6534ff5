// Posts until killed, printing each id once acknowledged; for the tests of crashes and turns.

import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { createBarePoster, leg, movement } from './bank.ts'

const [databaseUrl = '', from = '', to = '', fee = ''] = process.argv.slice(2)
const poster = createBarePoster(databaseUrl)

async function postForever(): Promise<void> {
  for (;;) {
    const id = randomUUID()
    await poster.post(movement([leg(BigInt(from), BigInt(to), 2n), leg(BigInt(from), BigInt(fee), 1n, 'fee')], { id }))
    writeSync(1, `${id}\n`)
  }
}

await Promise.all(Array.from({ length: 32 }, postForever))
