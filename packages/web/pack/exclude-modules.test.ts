import { expect, test } from 'vitest'
import { excludeModules } from './exclude-modules.ts'

const transform = excludeModules(/idle/, '() => undefined').transform as unknown as {
  handler: (code: string, id: string) => string
}

test('keeps only the export names of a module', () => {
  const code = 'const a = 1\nfunction b() {}\nexport { a, b }\n//# sourceMappingURL=idle.js.map'
  expect(transform.handler(code, 'idle.js')).toBe('export const a = () => undefined\nexport const b = () => undefined')
})

test('refuses a module whose exports it cannot read', () => {
  expect(() => transform.handler('export const a = 1', 'idle.js')).toThrow('idle.js has no list of exports.')
})
