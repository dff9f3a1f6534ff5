import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { languageAliases } from '../pack/language.ts'

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Builds the operator's desk, apart from the pages of customers: no file of one is loaded by the other. */
export default defineConfig({
  root: folder('.'),
  base: '/desk/',
  resolve: { alias: languageAliases },
  build: {
    outDir: folder('../build/desk'),
    emptyOutDir: true,
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: false,
  },
})
