// Tailwind's utilities are combined through variables, such as --tw-leading. Variables with a single value here are
// replaced by it: otherwise each sheet would register them all. Border lines are solid from elements.css.

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
