import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { languageAliases } from '../pack/language.ts'

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Builds the operators' desk apart from the customer pages: neither loads a file of the other build. */
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
