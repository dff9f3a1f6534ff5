import { basename, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Language } from '@tern/messages/language'

const languages = fileURLToPath(new URL('../../messages/src/', import.meta.url))

/** The folder of the language that is built: one build has one language, and `WEB_LANGUAGE` names another than English. */
const folder = resolve(process.env.WEB_LANGUAGE ?? `${languages}en`)

const { language } = (await import(/* @vite-ignore */ pathToFileURL(`${folder}/language.ts`).href)) as {
  language: Language
}

/** Where the build goes: `build/en`, or as `WEB_BUILD` says. */
export const buildDirectory = process.env.WEB_BUILD ?? `build/${basename(folder)}`

/** What package.json points to English, pointed to the language of this build. */
export const languageAliases = [
  { find: /^#messages\//, replacement: `${folder}/web/` },
  { find: '#language', replacement: `${folder}/language.ts` },
  {
    find: '#direction.css',
    replacement: fileURLToPath(new URL(`../src/css/${language.direction}.css`, import.meta.url)),
  },
]
