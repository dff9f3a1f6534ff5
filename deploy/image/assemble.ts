// Collects into a folder what production reads, with the Node that runs this program as bin/node:
// node deploy/image/assemble.ts FOLDER [--compile]
//
// It runs in a checkout with built pages, and with the packages of server and sandbox. `--compile` fills the compile
// cache for the user of the image.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { trimPackages } from './trim.ts'

const root = path.resolve(import.meta.dirname, '../..')
/** User of the image, whose number is part of the name of Node's compile cache. */
const user = 10_001

const programs = [
  'contract',
  'drawing',
  'ledger',
  'messages',
  'money',
  'providers',
  'sandbox',
  'server',
  'transparency',
  'witness',
]
const paths = [
  ...programs.map((name) => `packages/${name}`),
  'packages/web/build',
  'packages/desk/build',
  // Typefaces and style sheets of the sandbox's pages.
  'packages/web/fonts',
  'packages/web/src/css',
  'deploy',
  'docs',
  'tools/product/compile.ts',
  'tools/product/exit-with-parent.ts',
  'node_modules',
  'package.json',
  'CHANGELOG.md',
  'LICENSE',
  'NOTICE',
]

/** Files for development, and the list of packages that npm keeps, which names removed ones. */
const unused = /\.test\.tsx?$|\/deploy\/checks$|\/node_modules\/\.package-lock\.json$/

function collect(target: string): void {
  for (const each of paths) {
    fs.cpSync(path.join(root, each), path.join(target, each), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => !unused.test(file),
    })
  }
  fs.mkdirSync(path.join(target, 'bin'))
  fs.copyFileSync(process.execPath, path.join(target, 'bin', 'node'))
  fs.copyFileSync(path.join(root, 'deploy/systemd/tern'), path.join(target, 'bin', 'tern'))
}

/** Loads every module of the programs and commands into the compile cache, which also proves that nothing is missing. */
function compile(target: string): void {
  const cache = path.join(target, '.cache', 'node')
  fs.mkdirSync(cache, { recursive: true })
  fs.chownSync(cache, user, user)
  for (const parameters of [['tools/product/compile.ts', 'product'], ['deploy/image/commands.ts']]) {
    const { status } = spawnSync(path.join(target, 'bin', 'node'), parameters, {
      cwd: target,
      uid: user,
      gid: user,
      env: { NODE_COMPILE_CACHE: cache, HOME: '/tmp' },
      stdio: 'inherit',
    })
    if (status !== 0) throw new Error(`node ${parameters.join(' ')} ended with ${status}`)
  }
}

const [target, option] = process.argv.slice(2)
if (target === undefined) throw new Error('Which folder? node deploy/image/assemble.ts FOLDER [--compile]')
collect(target)
trimPackages(path.join(target, 'node_modules'))
if (option === '--compile') compile(target)
