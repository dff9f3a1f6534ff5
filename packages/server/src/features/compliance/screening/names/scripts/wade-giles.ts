// Chinese names as in passports of Taiwan: Wade-Giles without its marks, derived from Hanyu Pinyin.

const initials: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/^(?:zh|q|j)/, 'ch'],
  [/^x/, 'hs'],
  [/^r/, 'j'],
  [/^[zc](?!h)/, 'ts'],
  [/^b/, 'p'],
  [/^d/, 't'],
  [/^g/, 'k'],
]

const finals: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/^[zc]i$/, 'tzu'],
  [/^si$/, 'szu'],
  [/^((?:zh|ch|sh|r))i$/, '$1ih'],
  [/^r?er$/, 'erh'],
  [/^yan$/, 'yen'],
  [/^you$/, 'yu'],
  [/ian$/, 'ien'],
  [/^([gkh])e$/, '$1o'],
  [/^([gk])ui$/, '$1uei'],
  [/ong$/, 'ung'],
  [/([iy]|ü|u)e$/, '$1eh'],
  [/(?<!^[gkh]|^sh)uo$/, 'o'],
]

export function wadeGiles(syllable: string): string {
  const ending = finals.find(([pattern]) => pattern.test(syllable))
  const syllableWithEnding = ending ? syllable.replace(ending[0], ending[1]) : syllable
  const beginning = initials.find(([pattern]) => pattern.test(syllableWithEnding))
  return beginning ? syllableWithEnding.replace(beginning[0], beginning[1]) : syllableWithEnding
}
