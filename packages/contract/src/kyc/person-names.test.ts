import { expect, test } from 'vitest'
import { citizenships, findNationality, specialStatuses } from './nationalities.ts'
import { isVisibleName, findLatinNameProblem, normalizeName, fullName } from './person-names.ts'

test.each([
  ...['Nguyễn Thị Hoàng Yến', 'Özgür', 'İlkay', 'Ğ', 'Wałęsa', 'Þórunn Æsa', 'Guðrún', 'Ștefan', 'Žižek', 'Ólafur'],
  ...["O'Neill", 'O’Neill', "'t Hooft", 'Jean-Luc', 'Jean‑Luc', 'Martin Luther Jr.', 'José Mª', 'Kaʻiulani', 'Ñ', 'O'],
  ...['Raj s/o Kumar', 'E\u0323\u0301so\u0323la\u0301', 'von und zu', 'ＹＡＭＡＤＡ', 'Məmmədov', 'Ħal Qormi', 'FNU'],
  ...['Gal·la', 'Paral·lel', 'd′Artagnan', 'a/p Raj', 'J.R.R.', 'Henry VIII', 'Ɓala', 'Ibn-e-Sina', 'U Thant', 'Ng'],
  'Nguye\u0302\u0303n',
])('%s is a name in Latin letters', (name) => {
  expect(findLatinNameProblem(normalizeName(name))).toBeUndefined()
})

test.each([
  ['山田', 'script'],
  ['やまだ', 'script'],
  ['김 정은', 'script'],
  ['Νικόλαος', 'script'],
  ['משה', 'script'],
  ['राहुल', 'script'],
  ['ณเดชน์', 'script'],
  ['გიორგი', 'script'],
  ['Հայկ', 'script'],
  ['Путин', 'script'],
  ['Аnna', 'script'],
  ['Taro 太郎', 'script'],
  ['عبد', 'script'],
  ['.', 'placeholder'],
  ['-', 'placeholder'],
  ['--', 'placeholder'],
  ['—', 'placeholder'],
  ['…', 'placeholder'],
  ["'", 'placeholder'],
  ['·', 'placeholder'],
  ['/', 'placeholder'],
  ['\u0301', 'placeholder'],
  ['ⓐna', 'characters'],
  ['𝐀𝐧𝐚', 'script'],
  ['Ana١', 'characters'],
  ['Ana\u2800', 'characters'],
  ['R2D2', 'characters'],
  ['3', 'characters'],
  ['Ana_Maria', 'characters'],
  ['Ana@home', 'characters'],
  ['Ana, Maria', 'characters'],
  ['<b>Ana</b>', 'characters'],
  ['Ana 😀', 'characters'],
  ['Ana\ud800', 'characters'],
  ['Ⅲ', 'characters'],
  [`A${'\u0301'.repeat(8)}`, 'characters'],
])('%s is none: %s', (name, problem) => {
  expect(findLatinNameProblem(normalizeName(name))).toBe(problem)
})

test('a name has one spelling', () => {
  expect(normalizeName('  ＴＡＲＯ\u3000\u00A0Jean\u2011Luc\u2003x ')).toBe('TARO Jean-Luc x')
  expect(normalizeName('Nguye\u0302\u0303n')).toBe('Nguyễn')
})

test('a name in any script has letters that can be seen', () => {
  for (const name of ['山田 太郎', '김정은', 'Νίκος', 'محمد', 'ปิติ', 'José', 'नेपाली\u200D'])
    expect(isVisibleName(name)).toBe(true)
  for (const name of ['\u3164', '\u115F\u1160', '\uFFA0', '\u200D', '123', '…', '太\ud800', '\uE000', '😀'])
    expect(isVisibleName(name), JSON.stringify(name)).toBe(false)
})

test('a single name is the whole name', () => {
  expect(fullName({ firstName: '', lastName: 'Suharto' })).toBe('Suharto')
  expect(fullName({ firstName: 'Marie', lastName: 'Durand' })).toBe('Marie Durand')
})

test('every country of ISO 3166 and Kosovo is a nationality, by name and by code', () => {
  expect(citizenships).toHaveLength(250)
  for (const nationality of [...citizenships, ...specialStatuses]) {
    expect(findNationality(nationality.name)).toBe(nationality)
    expect(findNationality(nationality.code)).toBe(nationality)
  }
})

test.each([
  ['viet nam', 'Vietnam'],
  ['turkey', 'Türkiye'],
  ['TURKIYE', 'Türkiye'],
  ["Cote d'Ivoire", 'Côte d’Ivoire'],
  ['Czech Republic', 'Czechia'],
  ['Hong Kong', 'Hong Kong SAR China'],
  ['XXA', 'Stateless'],
  ['stateless', 'Stateless'],
  ['Kosovo', 'Kosovo'],
  ['XKX', 'Kosovo'],
  ['RKS', 'Kosovo'],
  ['UNK', 'Kosovo'],
  ['xxb', 'Refugee'],
  ['XXC', 'Refugee'],
  ['DEU', 'Germany'],
  ['D', 'Germany'],
  ['prk', 'North Korea'],
  ['GBN', 'United Kingdom'],
  ['UK', 'United Kingdom'],
  ['United Kingdom of Great Britain and Northern Ireland', 'United Kingdom'],
  ['Saint Lucia', 'St. Lucia'],
  ['Saint Vincent and the Grenadines', 'St. Vincent & Grenadines'],
  ['The Netherlands', 'Netherlands'],
  ['Netherlands (Kingdom of the)', 'Netherlands'],
  ['Iran, Islamic Republic of', 'Iran'],
  ['Islamic Republic of Iran', 'Iran'],
  ['Bolivia (Plurinational State of)', 'Bolivia'],
  ['Korea, Republic of', 'South Korea'],
  ["Democratic People's Republic of Korea", 'North Korea'],
  ["Korea, Democratic People's Republic of", 'North Korea'],
  ['Congo, The Democratic Republic of the', 'Congo - Kinshasa'],
  ['Republic of the Congo', 'Congo - Brazzaville'],
  ['Republic of China', 'Taiwan'],
  ["People's Republic of China", 'China'],
  ['Republic of Türkiye', 'Türkiye'],
  ['Virgin Islands (British)', 'British Virgin Islands'],
  ['Guinea, Equatorial', undefined],
  ['Korea', undefined],
  ['XXX', undefined],
  ['UTO', undefined],
  ['AN', undefined],
  ['Soviet Union', undefined],
  ['constructor', undefined],
  ['__proto__', undefined],
  ['Atlantis', undefined],
  ['', undefined],
  ['山', undefined],
  ['XX', undefined],
])('the nationality %s is %s', (text, name) => {
  expect(findNationality(text)?.name).toBe(name)
})
