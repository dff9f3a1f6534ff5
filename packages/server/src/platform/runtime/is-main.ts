import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

/**
 * Returns whether a module is the program that Node was started with, also through a symbolic link. Replaces
 * the property `main` of `import.meta`, which is undefined before Node 24.2: every command would exit without running.
 */
export function isMain({ url }: Pick<ImportMeta, 'url'>): boolean {
  const [, program] = process.argv
  return isMainThread && program !== undefined && resolveRealPath(program) === fs.realpathSync(fileURLToPath(url))
}

/** Resolves all symbolic links; undefined if the file does not exist, as for parameters of `node --eval`. */
function resolveRealPath(program: string): string | undefined {
  try {
    return fs.realpathSync(program)
  } catch {
    return undefined
  }
}
