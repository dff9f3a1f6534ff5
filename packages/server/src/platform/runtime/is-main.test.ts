import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../..', import.meta.url))
const helper = fileURLToPath(new URL('is-main.ts', import.meta.url))

let folder: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-is-main-'))
})
afterEach(() => fs.rmSync(folder, { recursive: true }))

/** Runs Node; returns its trimmed output and its exit code. */
function runCommand(...parameters: readonly string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, parameters, {
    cwd: folder,
    encoding: 'utf8',
    // No server listens at this address, so a command fails at once with a message.
    env: { PATH: process.env.PATH, HOME: folder, DATA_DIR: folder, DATABASE_URL: 'postgres://127.0.0.1:1/none' },
  })
  return { status, printed: `${stdout}${stderr}`.trim() }
}

function write(name: string, text: string): string {
  const file = path.join(folder, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
  return file
}

const command = `import { isMain } from ${JSON.stringify(helper)}\nif (isMain(import.meta)) console.log('ran')\n`

test('a module is recognized as the program by any path, including symbolic links', () => {
  const file = write('a folder/command.ts', command)
  fs.symlinkSync(file, path.join(folder, 'linked.ts'))
  fs.symlinkSync(path.dirname(file), path.join(folder, 'other'))
  for (const name of [file, 'a folder/command.ts', './other/command.ts', 'linked.ts', 'other/../linked.ts']) {
    expect(runCommand(name), name).toEqual({ status: 0, printed: 'ran' })
  }
})

test('a module is not the program where another one imports it', () => {
  write('command.ts', command)
  const importer = write('importer.ts', `import './command.ts'\nconsole.log('imported')\n`)
  expect(runCommand(importer).printed).toBe('imported')
  expect(runCommand('--input-type=module', '--eval', `import './command.ts'`, 'command.txt').printed).toBe('')
})

test('a module is not the program in a thread', () => {
  write('command.ts', command)
  const starter = write(
    'starter.ts',
    `import { Worker } from 'node:worker_threads'\nnew Worker(new URL('command.ts', import.meta.url)).on('exit', () => console.log('ended'))\n`,
  )
  expect(runCommand(starter).printed).toBe('ended')
})

test('commands never exit silently in a checkout behind a symbolic link', () => {
  const checkout = path.join(folder, 'checkout')
  fs.symlinkSync(root, checkout)
  for (const program of ['src/commands/runner/tern.ts', 'bin/tern.mjs'].map((name) => `packages/server/${name}`)) {
    const { status, printed } = runCommand(path.join(checkout, program), 'audit')
    expect(status, program).not.toBe(0)
    expect(printed).toMatch(/ECONNREFUSED/)
    const lists = runCommand(path.join(checkout, program), 'lists', 'nonsense')
    expect(lists).toMatchObject({ status: 2, printed: expect.stringContaining('npx tern lists') as string })
  }
})
