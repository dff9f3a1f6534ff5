import { expect, test } from 'vitest'
import { withoutUnread } from './plain-styles.ts'

test('what Tailwind repeats in each sheet is dropped, and every style stays', () => {
  const css = `/*! tailwindcss v4.3.3 | MIT License | https://tailwindcss.com */
@layer properties{@supports (((-webkit-hyphens:none)) and (not (margin-trim:inline))){*,:before{--tw-font-weight:initial}}}\
.a{--tw-font-weight:550;font-weight:550;color:red}@property --tw-font-weight{syntax:"*";inherits:false}\
@property --tw-border-style{syntax:"*";inherits:false;initial-value:solid}`
  expect(withoutUnread(css)).toBe(
    '.a{font-weight:550;color:red}@property --tw-border-style{syntax:"*";inherits:false;initial-value:solid}',
  )
})
