import { expect, test } from 'vitest'
import { toPlainCss } from './plain-utilities.ts'

test('variables with one value are replaced by it, and every other style stays', () => {
  const css = `/*! tailwindcss v4.3.3 | MIT License | https://tailwindcss.com */
@layer properties;
@layer components {
  .row {
    border-top-style: var(--tw-border-style);
    border-top-width: 1px;
    line-height: var(--tw-leading, 20px);
    --tw-font-weight: 550;
    font-weight: 550;
    --tw-numeric-spacing: tabular-nums;
    font-variant-numeric: var(--tw-ordinal,) var(--tw-numeric-spacing,);
  }
}
@property --tw-font-weight {
  syntax: "*";
  inherits: false;
}
@layer properties {
  @supports (-webkit-hyphens: none) {
    *, ::before, ::after, ::backdrop {
      --tw-font-weight: initial;
    }
  }
}
`
  expect(toPlainCss(css)).toBe(`@layer components {
  .row {
    border-top-width: 1px;
    line-height: 20px;
    font-weight: 550;
    font-variant-numeric: tabular-nums;
  }
}
`)
})

test('variables that utilities set for one another stay', () => {
  const css = '.dot::before {\n  --tw-content: "·";\n  content: var(--tw-content);\n}\n'
  expect(toPlainCss(css)).toBe(css)
})
