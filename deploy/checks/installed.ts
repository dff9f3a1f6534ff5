// Packages of deploy/checks, which `npm ci --prefix deploy/checks` installs. The project itself does not need them.

import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

export const checksFolder = import.meta.dirname

/** False where the packages are not installed; the checks that need them are then left out. */
export const areChecksInstalled = fs.existsSync(path.join(checksFolder, 'node_modules', '.package-lock.json'))

export const resolvePackageFile = createRequire(import.meta.url).resolve

/** Loads a module of these packages, whose types the project does not have. */
export const load = (name: string): Promise<Record<string, unknown>> =>
  import(/* @vite-ignore */ name) as Promise<Record<string, unknown>>

interface YamlDocument {
  readonly errors: readonly Error[]
  toJS(): unknown
}

/** Parses all documents of a YAML text, and leaves out empty ones. */
export async function parseYaml(text: string): Promise<unknown[]> {
  const yaml = await load('yaml')
  const parse = yaml.parseAllDocuments as (text: string, options: { merge: boolean }) => YamlDocument[]
  return parse(text, { merge: true })
    .map((document) => {
      const [error] = document.errors
      if (error) throw error
      return document.toJS()
    })
    .filter((value) => value !== null)
}
