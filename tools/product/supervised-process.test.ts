import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { startSupervisedProcess } from './supervised-process.ts'

// Keeps serving for eleven seconds after SIGTERM, longer than the default limit for stopping.
const program = `
  const fs = require('node:fs')
  const note = (word) => fs.writeFileSync(process.env.NOTE, word)
  process.on('SIGTERM', () => setTimeout(() => { note('ended'); process.exit(0) }, 11_000))
  setInterval(() => {}, 1000)
  note('ready')
`

test('a process with a configured shutdown delay is not killed before it ends by itself', async () => {
  const noteFile = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'tern-kept-')), 'note')
  const readNote = () => (fs.existsSync(noteFile) ? fs.readFileSync(noteFile, 'utf8') : '')
  const { PATH } = process.env
  const supervised = startSupervisedProcess({
    name: 'app',
    parameters: ['--eval', program],
    environment: { PATH, NOTE: noteFile },
    log: () => {},
    gracePeriodMs: 60_000,
  })
  await expect.poll(readNote).toBe('ready')
  await supervised.stop()
  expect(readNote()).toBe('ended')
  fs.rmSync(path.dirname(noteFile), { recursive: true })
})
