import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

let checkout: string

beforeEach(() => {
  checkout = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-bootstrap-'))
  for (const name of ['bootstrap.mjs', 'run.mjs'])
    write(`tools/${name}`, fs.readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), 'utf8'))
  const emptyLock = JSON.stringify({ packages: {} })
  write('package-lock.json', emptyLock)
  write('node_modules/.package-lock.json', emptyLock)
  write('command.ts', `console.log('ran by', process.argv[2] satisfies string | undefined)\n`)
})
afterEach(() => fs.rmSync(checkout, { recursive: true }))

function write(name: string, text: string, mode = 0o644): string {
  const file = path.join(checkout, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text, { mode })
  return file
}

/** Installs a fake Node that reports this version and otherwise runs the current one; returns its path. */
const installNode = (version: string) =>
  write(
    'node_modules/.bin/node',
    `#!/bin/sh\n[ "$1" = --version ] && echo v${version} && exit\nexec ${process.execPath} "$1" npm\n`,
    0o755,
  )

function run(version: string, ...flags: readonly string[]) {
  const fakeNode = write(
    'pretence.mjs',
    `Object.defineProperty(process.versions, 'node', { value: ${JSON.stringify(version)} })\n`,
  )
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, '--import', fakeNode, path.join(checkout, 'tools', 'run.mjs'), 'command.ts', 'itself'],
    { encoding: 'utf8', env: { PATH: process.env.PATH } },
  )
  return { status, printed: `${stdout}${stderr}`.trim() }
}

test.each(['24.0.0', '24.2.0', '25.0.0', '26.10.0', '100.1.0'])(
  'Node %s runs commands, from npm or itself',
  (version) => {
    expect(run(version)).toEqual({ status: 0, printed: 'ran by itself' })
    installNode(version)
    expect(run('20.0.0')).toEqual({ status: 0, printed: 'ran by npm' })
  },
)

test.each(['20.0.0', '22.18.0', '23.11.1'])('Node %s prints the required version and runs no command', (version) => {
  const expectedFailure = {
    status: 1,
    printed: expect.stringMatching(/runs on Node 24\.0 or newer.*This is Node/) as string,
  }
  expect(run(version)).toEqual(expectedFailure)
  installNode(version)
  expect(run(version)).toEqual(expectedFailure)
})

test('a Node without TypeScript, or too old to install anything, prints an error', () => {
  expect(run('24.5.0', '--no-experimental-strip-types')).toEqual({
    status: 1,
    printed: expect.stringContaining('TypeScript') as string,
  })
  expect(run('18.20.0')).toEqual({ status: 1, printed: expect.stringContaining('Node 20 or newer') as string })
})
