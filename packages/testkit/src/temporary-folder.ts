// Folders for temporary test data.

import fs from 'node:fs'
import os from 'node:os'

export const memoryFolder = '/dev/shm'
const requiredBytes = 4 * 1024 ** 3

/** Every folder that tests may have written to. */
export const temporaryFolders: readonly string[] = [...new Set([os.tmpdir(), memoryFolder])].filter((folder) =>
  fs.existsSync(folder),
)

/**
 * Returns the folder for temporary databases: in memory if four gigabytes are free, since creating a database's
 * thousand files takes fifteen times the CPU on a disk.
 */
export function temporaryFolder(): string {
  const hasSpace =
    fs.existsSync(memoryFolder) && bytesLeft(memoryFolder) > requiredBytes && process.availableMemory() > requiredBytes
  return hasSpace && isWritable(memoryFolder) ? memoryFolder : os.tmpdir()
}

function bytesLeft(folder: string): number {
  const { bavail, bsize } = fs.statfsSync(folder)
  return bavail * bsize
}

function isWritable(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}
