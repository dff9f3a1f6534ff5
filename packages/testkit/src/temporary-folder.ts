// Folders for temporary data of tests.

import fs from 'node:fs'
import os from 'node:os'

export const memoryFolder = '/dev/shm'
const requiredBytes = 4 * 1024 ** 3

/** All folders to which tests may have written. */
export const temporaryFolders: readonly string[] = [...new Set([os.tmpdir(), memoryFolder])].filter((folder) =>
  fs.existsSync(folder),
)

/**
 * Returns the folder for temporary databases: in memory if four gigabytes are free, because creating a database writes
 * a thousand files, which takes fifteen times the CPU time on a disk.
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
