import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

/**
 * Whether a module is the program that Node was started with, also through a symbolic link. Replaces the property `main` of
 * `import.meta`, which Node has from 24.2 on: before, it is undefined, and every command would exit silently.
 */
export function isMain({ url }: Pick<ImportMeta, 'url'>): boolean {
  const [, program] = process.argv
  return isMainThread && program !== undefined && realPathOf(program) === fs.realpathSync(fileURLToPath(url))
}

/** The file behind all symbolic links; undefined where there is none, as for the parameters of `node --eval`. */
function realPathOf(program: string): string | undefined {
  try {
    return fs.realpathSync(program)
  } catch {
    return undefined
  }
}
