import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const bootstrap = fileURLToPath(new URL('../bootstrap.mjs', import.meta.url))
const locked = {
  packages: { 'node_modules/kept': { version: '1.0.0' }, 'node_modules/linter': { version: '1.0.0', dev: true } },
}

// Fake npm: records its arguments and installs the locked packages; with SLOW it writes to node_modules until killed.
const npm = `
  const fs = require('node:fs')
  fs.appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n')
  fs.rmSync('node_modules', { recursive: true, force: true })
  fs.mkdirSync('node_modules')
  if (process.env.SLOW) setInterval(() => fs.appendFileSync('node_modules/part', 'x'), 10)
  else {
    const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'))
    if (process.argv.includes('--omit=dev')) delete packages['node_modules/linter']
    fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }))
  }
`

let folder: string
let children: ChildProcess[]

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-bootstrap-'))
  fs.mkdirSync(path.join(folder, 'tools', 'product'), { recursive: true })
  fs.copyFileSync(bootstrap, path.join(folder, 'tools', 'bootstrap.mjs'))
  fs.copyFileSync(path.join(path.dirname(bootstrap), 'run.mjs'), path.join(folder, 'tools', 'run.mjs'))
  for (const file of ['tools/product/program.ts', 'tools/check.ts']) {
    fs.writeFileSync(path.join(folder, file), "console.log('it runs')\n")
  }
  fs.writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify(locked))
  fs.writeFileSync(path.join(folder, 'npm.cjs'), npm)
  children = []
})

afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  fs.rmSync(folder, { recursive: true })
})

function run(file: string, environment: Record<string, string> = {}) {
  const { PATH } = process.env
  const env = { PATH, npm_execpath: path.join(folder, 'npm.cjs'), ...environment }
  const child = spawn(process.execPath, ['tools/run.mjs', file], { cwd: folder, env })
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return { child, output: () => output, ended: once(child, 'close').then(([code]) => code as number | null) }
}

const calls = (): string[] => fs.readFileSync(path.join(folder, 'calls'), 'utf8').trim().split('\n')

test("the product's programs are installed without development packages, checks with all", async () => {
  const product = run('tools/product/program.ts')
  expect(await product.ended).toBe(0)
  expect(product.output()).toContain('it runs')
  await run('tools/product/program.ts').ended
  expect(calls(), 'installed once').toEqual([expect.stringContaining('--omit=dev')])
  await run('tools/check.ts').ended
  expect(calls().at(-1)).toContain('--include=dev')
  await run('tools/product/program.ts').ended
  expect(calls(), 'more than is needed').toHaveLength(2)
})

test('Ctrl-C during the installation stops npm too, and the next start installs again', async () => {
  const firstRun = run('tools/product/program.ts', { SLOW: 'yes' })
  const installedPart = path.join(folder, 'node_modules', 'part')
  await expect.poll(() => fs.existsSync(installedPart)).toBe(true)
  firstRun.child.kill('SIGINT')
  expect(await firstRun.ended, firstRun.output()).toBe(130)
  fs.rmSync(path.join(folder, 'node_modules'), { recursive: true })
  expect(fs.existsSync(installedPart), 'npm is gone').toBe(false)
  const secondRun = run('tools/product/program.ts')
  expect(await secondRun.ended).toBe(0)
  expect(secondRun.output()).toContain('it runs')
})

test('a second start waits for the installation of the first', async () => {
  const first = run('tools/product/program.ts', { SLOW: 'yes' })
  await expect.poll(() => fs.existsSync(path.join(folder, 'node_modules', 'part'))).toBe(true)
  const secondRun = run('tools/product/program.ts')
  await expect.poll(secondRun.output).toContain('Waiting for another installation')
  expect(calls()).toHaveLength(1)
  first.child.kill('SIGINT')
  await first.ended
  expect(await secondRun.ended).toBe(0)
  expect(calls()).toHaveLength(2)
})
