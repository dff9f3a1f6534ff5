import { reactRouter } from '@react-router/dev/vite'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'

/** Browsers that know light-dark(), nesting and cascade layers: without them both themes would need twice the styles. */
const browsers = ['chrome123', 'edge123', 'firefox128', 'safari17.5']

export default defineConfig({
  plugins: [tailwindcss(), reactRouter()],
  build: { target: browsers, cssTarget: browsers, assetsInlineLimit: 0 },
})
