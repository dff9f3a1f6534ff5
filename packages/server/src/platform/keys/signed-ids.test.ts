import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createSignedIds } from './signed-ids.ts'

const [secret, olderSecret] = [randomBytes(32), randomBytes(32)]
const purpose = 'tern payment link'
const links = createSignedIds(secret, purpose)
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

describe('the data of a link', () => {
  test('names its request, also under a new secret while the old one is configured', () => {
    const id = randomUUID()
    expect(links.read(links.issue(id))).toBe(id)
    expect(createSignedIds([randomBytes(32), secret], purpose).read(links.issue(id))).toBe(id)
    expect(createSignedIds(olderSecret, purpose).read(links.issue(id))).toBeUndefined()
  })

  test('stays short enough for a QR code of version 8 at level H', () => {
    expect(`https://pay.tern.example:3000/pay?data=${links.issue(randomUUID())}`.length).toBeLessThanOrEqual(84)
  })

  test('is refused with any character changed to any other', () => {
    const data = links.issue(randomUUID())
    const changedIds = data
      .split('')
      .flatMap((original, index) =>
        [...alphabet.split(''), '=', '+', '/', ' ', '%', 'é']
          .filter((character) => character !== original)
          .map((character) => data.slice(0, index) + character + data.slice(index + 1)),
      )
    expect(changedIds.filter((text) => links.read(text) !== undefined)).toEqual([])
  })

  test('is refused with any bit flipped', () => {
    const bytes = Buffer.from(links.issue(randomUUID()), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flippedBytes = Buffer.from(bytes)
      flippedBytes[bit >> 3] = (flippedBytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(links.read(flippedBytes.toString('base64url')), `bit ${bit}`).toBeUndefined()
    }
  })

  test.each([
    ['nothing', () => ''],
    ['less', (data: string) => data.slice(0, -1)],
    ['more', (data: string) => `${data}A`],
    ['padding', (data: string) => `${data}=`],
    ['the plain alphabet', (data: string) => `${data.slice(0, 41)}+/`],
    ['a line end', (data: string) => `${data.slice(0, 42)}\n`],
  ])('is refused with %s', (_name, change) => {
    expect(links.read(change(links.issue(randomUUID())))).toBeUndefined()
  })
})
