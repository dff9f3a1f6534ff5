// Tailwind combines utilities through variables such as `--tw-leading`, which every sheet would register. Variables
// that have a single value in this product are replaced by it. `elements.css` already makes border lines solid.

import type { Plugin } from 'vite'

const constants =
  'border-style|font-weight|leading|tracking|outline-style|ordinal|slashed-zero|numeric-(?:figure|spacing|fraction)'
const property = new RegExp(`@property --tw-(?:${constants}) \\{[^}]*\\}\\n?`, 'g')
const declaration = new RegExp(`^\\s*--tw-(?:${constants}): [^;]*;\\n`, 'gm')
const lineStyle = /^\s*(?:border(?:-\w+)*|outline)-style: var\(--tw-\w+-style\);\n/gm
const numericVariant = /font-variant-numeric: var\(--tw-ordinal[^;]*;/g
const leadingDefault = /var\(--tw-leading, ([^)]*)\)/g
const emptyFallbacks = /@layer properties \{\s*@supports .*\{\s*\*, ::before, ::after, ::backdrop \{\s*\}\s*\}\s*\}\n?/g
/** Head of sheets that only apply utilities. */
const head = /^\/\*! tailwindcss [^*]*\*\/\n(?:@layer properties;\n)?(?![\s\S]*(?:@layer utilities|--tw-))/

/** Replaces the variables that have one value by that value. */
export const toPlainCss = (css: string): string =>
  css
    .replaceAll(property, '')
    .replaceAll(declaration, '')
    .replaceAll(lineStyle, '')
    .replaceAll(numericVariant, 'font-variant-numeric: tabular-nums;')
    .replaceAll(leadingDefault, '$1')
    .replaceAll(emptyFallbacks, '')
    .replace(head, '')

/** Runs after Tailwind's plugin, on each sheet that it made. */
export const plainUtilities = (): Plugin => ({
  name: 'plain-utilities',
  enforce: 'pre',
  transform: {
    filter: { id: /\.css(?:\?|$)/ },
    handler: (css) => (css.startsWith('/*! tailwindcss') ? { code: toPlainCss(css), map: null } : undefined),
  },
})
