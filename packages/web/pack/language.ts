import { basename, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Language } from '@tern/messages/language'

const languagesDirectory = fileURLToPath(new URL('../../messages/src/', import.meta.url))

/** Folder of this build's only language: English unless `WEB_LANGUAGE` names another folder. */
const folder = resolve(process.env.WEB_LANGUAGE ?? `${languagesDirectory}en`)

const { language } = (await import(/* @vite-ignore */ pathToFileURL(`${folder}/language.ts`).href)) as {
  language: Language
}

/** Output directory: `build/en` for English, or the value of `WEB_BUILD`. */
export const buildDirectory = process.env.WEB_BUILD ?? `build/${basename(folder)}`

/** Redirects the English imports of package.json to this build's language. */
export const languageAliases = [
  { find: /^#messages\//, replacement: `${folder}/web/` },
  { find: '#language', replacement: `${folder}/language.ts` },
  {
    find: '#direction.css',
    replacement: fileURLToPath(new URL(`../src/css/${language.direction}.css`, import.meta.url)),
  },
]
