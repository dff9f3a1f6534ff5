import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveDeskPages } from './desk-pages.ts'

let http: FastifyInstance
const folder = `${fs.mkdtempSync(path.join(os.tmpdir(), 'tern-desk-'))}/`

beforeAll(async () => {
  fs.mkdirSync(`${folder}assets`)
  fs.writeFileSync(`${folder}index.html`, 'the desk')
  fs.writeFileSync(`${folder}assets/index-1.js`, 'export {}')
  http = fastify()
  await serveDeskPages(http, folder)
})
afterAll(async () => {
  await http.close()
  fs.rmSync(folder, { recursive: true })
})

test.each(['/desk', '/desk/', '/desk/enroll', '/desk/queues/holds', '/desk/apiary'])(
  '%s serves the page',
  async (url) => {
    const { statusCode, body, headers } = await http.inject({ url })
    expect([statusCode, body, headers['cache-control']]).toEqual([200, 'the desk', 'no-cache'])
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy, 'neither code nor styles of its own text').not.toMatch(/unsafe|data:|https?:|\*/)
  },
)

test('files are cached permanently, and unknown ones are not found', async () => {
  const file = await http.inject({ url: '/desk/assets/index-1.js' })
  expect([file.statusCode, file.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable'])
  for (const url of ['/desk/assets/other.js', '/desk/assets/', '/desk/api/nothing', '/desk/assets/..%2f..%2fetc']) {
    expect((await http.inject({ url })).statusCode, url).toBeGreaterThanOrEqual(400)
  }
})
