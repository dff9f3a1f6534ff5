import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { keepRunning } from './kept-process.ts'

// Keeps serving for eleven seconds after SIGTERM, longer than the default limit for stopping.
const program = `
  const fs = require('node:fs')
  const note = (word) => fs.writeFileSync(process.env.NOTE, word)
  process.on('SIGTERM', () => setTimeout(() => { note('ended'); process.exit(0) }, 11_000))
  setInterval(() => {}, 1000)
  note('ready')
`

test('a process with a configured shutdown delay is not killed before it ends by itself', async () => {
  const note = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'tern-kept-')), 'note')
  const noted = () => (fs.existsSync(note) ? fs.readFileSync(note, 'utf8') : '')
  const { PATH } = process.env
  const kept = keepRunning({
    name: 'app',
    parameters: ['--eval', program],
    environment: { PATH, NOTE: note },
    log: () => {},
    serveOnMs: 60_000,
  })
  await expect.poll(noted).toBe('ready')
  await kept.stop()
  expect(noted()).toBe('ended')
  fs.rmSync(path.dirname(note), { recursive: true })
})
