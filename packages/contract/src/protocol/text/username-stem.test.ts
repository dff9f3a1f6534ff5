import { expect, test } from 'vitest'
import { registration } from '../account-forms.ts'
import { deriveUsernameStem } from './username-stem.ts'

test.each([
  ['María dos Santos', 'maria.dos.santos'],
  ['Łukasz Żółć', 'lukasz.zolc'],
  ['Søren Ærø', 'soren.aero'],
  ['Ħal Saflieni', 'hal.saflieni'],
  ['Nguyễn Văn Đức', 'nguyen.van.duc'],
  ["Conan O'Brien", 'conan.obrien'],
  ['  Jean–Luc  ', 'jean.luc'],
  ['maria.santos', 'maria.santos'],
  ['ＡＢＣ', 'abc'],
  ['Wolfeschlegelsteinhausenbergerdorff', 'wolfeschlegelsteinhausen'],
  ['山田 太郎', undefined],
  ['محمد', undefined],
  ['Al', undefined],
  ['12345', undefined],
  ['...', undefined],
  ['', undefined],
])('%s reads as the username %s', (text, stem) => {
  expect(deriveUsernameStem(text)).toBe(stem)
  if (stem === undefined) return
  const form = { email: 'a@example.com', password: 'pole to pole 2026', username: stem }
  expect(registration.parse(form).username).toBe(stem)
})
