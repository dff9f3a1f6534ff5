import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase } from '@tern/testkit/open-test-database'
import { publishedFile } from '@tern/testkit/compliance/lists/published-lists'
import { connect } from '../../../../platform/database/db.ts'
import { createCompliance } from '../../compliance.ts'
import { findCountryCode } from '../lists/countries.ts'
import { readSlashDate } from '../lists/dates.ts'
import { type ListFile, readListFiles } from '../lists/read-files.ts'

const hourMs = 3_600_000
const startedAt = new Date('2026-11-20T09:00:00Z')

let now = startedAt

const database = await openTestDatabase()
/** Pool of the application role, which must have the rights to import lists. */
const pool = connect(database.applicationUrl)
afterAll(() => pool.end())
beforeEach(async () => {
  now = startedAt
  await database.pool.query(
    'truncate screening_match, screening_name, screening_entry, screening_list, screening_epoch',
  )
})

const createTestCompliance = () =>
  createCompliance({ pool, now: () => now, log: { error: () => {} }, areListsRequired: false })
const importFiles = (files: readonly ListFile[], isForced = false) =>
  createTestCompliance().importLists(files, isForced)
const decode = ({ bytes }: ListFile) => new TextDecoder().decode(bytes)
const changeFile = (file: ListFile, change: (text: string) => string): ListFile => ({
  name: file.name,
  bytes: new TextEncoder().encode(change(decode(file))),
})

async function loadEntry(source: string, reference: string) {
  const { rows } = await pool.query<{ kind: string; birth_dates: string[]; countries: string[]; names: string[] }>(
    `select e.kind, birth_dates, countries, ended_version, first_version, changed_version,
         (select array_agg(n.kind || ': ' || n.name order by n.id) from screening_name n where n.entry_id = e.id) as names
       from screening_entry e where source = $1 and reference = $2`,
    [source, reference],
  )
  return rows[0]
}

const buildSdnFile = (rows: readonly string[]): ListFile => ({
  name: 'sdn.csv',
  bytes: new TextEncoder().encode(`${rows.join('\r\n')}\r\n\u001A`),
})
const buildAltFile = (...rows: readonly string[]): ListFile => ({
  name: 'alt.csv',
  bytes: new TextEncoder().encode(`${['1,1,"aka","KARVE, Zed",-0- ', ...rows].join('\r\n')}\r\n`),
})
const buildSdnRow = (id: number, name: string, remarks = '-0- ') =>
  `${id},"${name}","individual","TEST",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,${remarks}`
const tenRows = Array.from({ length: 10 }, (_, index) => buildSdnRow(index + 1, `KARVE${index}, Anselm`))

describe('each published format', () => {
  test('OFAC: CSV without a header, joined by its first column', async () => {
    const remarks = `"DOB 19 Jun 1951; alt. DOB 1953; POB Giza, Egypt; nationality Libya; a.k.a. 'THE CLERK'."`
    const [result] = await importFiles([
      buildSdnFile([
        buildSdnRow(1, 'KARVE, Anselm', remarks),
        buildSdnRow(2, 'ODDENSEN SHIPPING').replace('"individual"', '-0- '),
      ]),
      buildAltFile('2,7,"fka","ODDENSEN LINES",-0- '),
      { name: 'add.csv', bytes: new TextEncoder().encode('2,9,"Quay 1","Tripoli","Libya",-0- \r\n') },
    ])
    expect(result).toMatchObject({ source: 'ofac_sdn', version: 1, added: 2, changed: 0, ended: 0 })
    expect(await loadEntry('ofac_sdn', '1')).toMatchObject({
      kind: 'person',
      birth_dates: ['1951-06-19', '1953'],
      countries: ['EG', 'LY'],
      names: ['primary: KARVE, Anselm', 'alias: KARVE, Zed', 'weak: THE CLERK'],
    })
    expect(await loadEntry('ofac_sdn', '2')).toMatchObject({ kind: 'entity', countries: ['LY'] })
  })

  const buildComments = (...rows: readonly string[]): ListFile => ({
    name: 'sdn_comments.csv',
    bytes: new TextEncoder().encode(`${rows.join('\r\n')}\r\n\u001A`),
  })

  test('OFAC: remarks continue in a separate file, in any order of the files', async () => {
    const [result] = await importFiles([
      buildComments(
        `1,"hn Boy'; DOB circa 1960; alt. DOB Mar 1975; nationality Libya; a.k.a. 'khaleesi'; Linked To: X."`,
        `2,"DOB 1960 to 1963."`,
        `77,"a.k.a. 'NOBODY'."`,
      ),
      buildAltFile(),
      { name: 'add.csv', bytes: new TextEncoder().encode('2,9,"Quay 1","Tripoli","Libya",-0- \r\n') },
      buildSdnFile([buildSdnRow(1, 'KARVE, Anselm', `"DOB 1951; a.k.a. 'Big Jo"`), buildSdnRow(2, 'ODDENSEN, Per')]),
    ])
    expect(result).toMatchObject({
      added: 2,
      notes: ['sdn_comments.csv: skipped the remarks of entries that sdn.csv does not have: 77.'],
    })
    expect(await loadEntry('ofac_sdn', '1')).toMatchObject({
      birth_dates: ['1951', '1960', '1975-03'],
      countries: ['LY'],
      names: ['primary: KARVE, Anselm', 'alias: KARVE, Zed', 'weak: Big John Boy', 'weak: khaleesi'],
    })
    expect(await loadEntry('ofac_sdn', '2')).toMatchObject({ birth_dates: ['1960/1963'] })
  })

  test('OFAC: the consolidated list has a remarks file of its own', () => {
    const toConsolidatedFile = (file: ListFile, name: string) => ({ name, bytes: file.bytes })
    const lists = readListFiles([
      toConsolidatedFile(buildComments(`1,"a.k.a. 'THE CLERK'."`), 'cons_comments.csv'),
      toConsolidatedFile(buildSdnFile(tenRows), 'cons_prim.csv'),
      toConsolidatedFile(buildAltFile(), 'cons_alt.csv'),
      buildSdnFile(tenRows),
      buildAltFile(),
    ])
    const clerkLists = lists.filter(({ list }) => list.entries[0]?.names.some(({ name }) => name === 'THE CLERK'))
    expect(clerkLists.map(({ list }) => list.source)).toEqual(['ofac_consolidated'])
    expect(() => readListFiles([buildComments(`1,"x"`), buildAltFile()])).toThrow(
      /sdn_comments\.csv belongs to sdn\.csv/,
    )
  })

  test.each<[string, (text: string) => string]>([
    ['a byte-order mark', (text) => `\uFEFF${text}`],
    [
      'comments and blank lines',
      (text) => `# SDN list\r\n\r\n  \r\n${text.replace('\r\n', '\r\n#, a "comment\r\n\r\n')}`,
    ],
    ['Unix line ends', (text) => text.replaceAll('\r\n', '\n')],
    ['bars', (text) => text.replaceAll(/,(?=(?:[^"\n]*"[^"\n]*")*[^"\n]*$)/gm, '|')],
    ['zeros behind the end', (text) => `${text}\r\n\u0000\u0000`],
    ['tabs', (text) => text.replaceAll(/,(?=(?:[^"\n]*"[^"\n]*")*[^"\n]*$)/gm, '\t')],
    ['the line ends of old Macs', (text) => text.replaceAll('\r\n', '\r')],
    ['names of columns', (text) => `ent_num,SDN_Name,SDN_Type\r\n${text}`],
    ['capitals in kinds', (text) => text.replaceAll('"individual"', '"Individual"').replaceAll('"aka"', '"AKA"')],
  ])('OFAC: with %s', (_case, change) => {
    const [parsedFile] = readListFiles([changeFile(buildSdnFile(tenRows), change), changeFile(buildAltFile(), change)])
    expect(parsedFile?.list.entries.map(({ names }) => names[0]?.name)).toEqual(
      Array.from({ length: 10 }, (_, index) => `KARVE${index}, Anselm`),
    )
    expect(parsedFile?.list.entries[0]?.names[1]).toEqual({ name: 'KARVE, Zed', kind: 'alias' })
    expect(parsedFile?.list.entries[0]?.kind).toBe('person')
  })

  test.each([
    [`a.k.a. 'THE CLERK'.`, ['THE CLERK']],
    [`a.k.a. ""THE CLERK"".`, ['THE CLERK']],
    [`a.k.a. ‘THE CLERK’; n.k.a. “CLERK, A”`, ['THE CLERK', 'CLERK, A']],
    [`(a.k.a. 'THE CLERK'); POB X; f.k.a. 'O'CLERK'.`, ['THE CLERK', "O'CLERK"]],
    [`Linked To: a.k.a. CLERK.`, []],
  ])('OFAC: the remark %s', (remarkText, names) => {
    const [parsedFile] = readListFiles([
      buildSdnFile([buildSdnRow(1, 'KARVE, Anselm', `"${remarkText}"`)]),
      buildAltFile(),
    ])
    const weakNames = parsedFile?.list.entries[0]?.names.filter(({ kind }) => kind === 'weak')
    expect(weakNames?.map(({ name }) => name)).toEqual(names)
  })

  test.each(['', '\u001A', '\uFEFF\r\n\r\n'])('OFAC: no remarks beyond 1,000 characters, %j', (text) => {
    const emptyComments = { name: 'SDN_COMMENTS.CSV', bytes: new TextEncoder().encode(text) }
    expect(readListFiles([buildSdnFile(tenRows), buildAltFile(), emptyComments])[0]?.list.entries).toHaveLength(10)
    expect(() => readListFiles([emptyComments])).toThrow(/SDN_COMMENTS\.CSV has no list/)
  })

  test.each(['uk.csv', 'pep.csv'])('%s with rows of a spreadsheet that are empty', (name) => {
    const [plainFile] = readListFiles([publishedFile(name)])
    const [fileWithEmptyRows] = readListFiles([
      changeFile(publishedFile(name), (text) => `${text.trimEnd()}\r\n,,,\r\n"", ,\r\n`),
    ])
    expect(fileWithEmptyRows?.list).toEqual(plainFile?.list)
  })

  test.each(['eu.csv', 'uk.csv', 'pep.csv'])('%s with a byte-order mark, comments, other separators and ^Z', (name) => {
    const file = publishedFile(name)
    const [plainFile] = readListFiles([file])
    const commentedFile = changeFile(
      file,
      (text) => `\uFEFF# a comment\n\n${text.replaceAll('\r\n', '\n')}\n#end\n\u001A\r\n`,
    )
    expect(readListFiles([commentedFile])[0]?.list).toEqual(plainFile?.list)
  })

  test.each([
    ['19 Jun 1951', '1951-06-19'],
    ['June 19, 1951', '1951-06-19'],
    ['19-Jun-1951', '1951-06-19'],
    ['1951-06-19', '1951-06-19'],
    ['19/06/1951', '1951-06-19'],
    ['Mar 1975', '1975-03'],
    ['00/03/1975', '1975-03'],
    ['dd/mm/1975', '1975'],
    ['1975', '1975'],
    ['circa 1960', '1960'],
    ['approximately 1960', '1960'],
    ['c. 1960', '1960'],
    ['circa Mar 1960', '1960-03'],
    ['1960 to 1963', '1960/1963'],
    ['circa 1960-1963', '1960/1963'],
    ['between 1960 and 1963', '1960/1963'],
    ['01 Jan 1960 to 31 Dec 1963', '1960/1963'],
    ['01 Jan 1960 to 31 Dec 1960', '1960'],
    ['1960s', '1960/1969'],
    ['31/13/1975', '1975'],
    ['1965-00-00', '1965'],
    ['1965-12-00', '1965-12'],
    ['1965-12-31T00:00:00', '1965-12-31'],
    ['1965-1-2', '1965-01-02'],
    ['1965.12.31', '1965-12-31'],
    ['31.12.1965', '1965-12-31'],
    ['29 Feb 1965', '1965-02'],
    ['29 Feb 1964', '1964-02-29'],
    ['31/04/1965', '1965-04'],
    ['Jan. 1, 1965', '1965-01-01'],
    ['1965 or 1966', '1965/1966'],
    ['1966 to 1965', '1965/1966'],
    ['1965/1966', '1965/1966'],
    ['Jan 1965 to Mar 1966', '1965/1966'],
    ['Jan-Mar 1965', '1965'],
    ['Jan to Mar 1965', '1965'],
    ['mid-1960s', '1960/1969'],
    ["early 1960's", '1960/1969'],
    ['~1965', '1965'],
    ['(1965)', '1965'],
    ['1965?', '1965'],
    ['born in 1965', '1965'],
    ['1965 (approximately)', '1965'],
    ['11 Shaban 1372', undefined],
    ['0000-00-00', undefined],
    ['1-Jan-65', undefined],
    ['19651231', '1965'],
    ['unknown', undefined],
    ['', undefined],
    ['45', undefined],
  ])('a birth date of %j', (writtenDate, parsedDate) => {
    expect(readSlashDate(writtenDate)).toBe(parsedDate)
  })

  test.each([
    ['Korea, North', 'KP'],
    ["Korea, Democratic People's Republic of", 'KP'],
    ['Congo, Democratic Republic of the', 'CD'],
    ['Congo (Democratic Republic)', 'CD'],
    ['Congo, Republic of the', 'CG'],
    ['Iran (Islamic Republic of)', 'IR'],
    ['Moldova, Republic of', 'MD'],
    ['Saint Vincent and the Grenadines', 'VC'],
    ['Virgin Islands, British', 'VG'],
    ['Bahamas, The', 'BS'],
    ['Region: Gaza', 'PS'],
    ['West Bank', 'PS'],
    ['Kosovo', 'XK'],
    ['RUS', 'RU'],
    ['UK', 'GB'],
    ['undetermined', undefined],
    ['Stateless', undefined],
    ['ZZ', undefined],
  ])('the country %j of a list', (name, code) => {
    expect(findCountryCode(name)).toBe(code)
  })

  test('OFAC and UN: the real lists are read whole', async () => {
    const files = ['sdn.csv', 'alt.csv', 'add.csv', 'cons_prim.csv', 'UN_consolidated.xml'].map(publishedFile)
    const lists = readListFiles(files, true)
    expect(lists.map(({ list }) => [list.source, list.entries.length])).toEqual([
      ['ofac_consolidated', 442],
      ['ofac_sdn', 7379],
      ['un', 1003],
    ])
    const unList = lists[2]?.list
    expect(unList?.publishedAt?.toISOString()).toBe('2026-02-27T00:00:09.554Z')
    const person = unList?.entries.find(({ reference }) => reference === '6908537')
    expect(person).toMatchObject({ kind: 'person', birthDates: ['1969-02-07'], countries: ['DZ'] })
    expect(person?.names).toContainEqual({ name: 'Mebrak Yazid', kind: 'weak' })
    expect(unList?.entries.flatMap(({ names }) => names).map(({ name }) => name)).toContain('صدام حسين التكريتي')
  })

  test.each([
    ['eu.csv', '900001', ['alias: Аркадий Жеребцовский']],
    ['eu.xml', '900001', ['alias: Аркадий Жеребцовский', 'weak: The Ferryman']],
    ['uk.csv', 'TST0001', ['alias: Аркадий ЖЕРЕБЦОВСКИЙ', 'weak: The Ferryman']],
    ['uk.xml', 'TST0001', ['alias: Аркадий ЖЕРЕБЦОВСКИЙ', 'weak: The Ferryman']],
  ])('%s', async (name, reference, otherNames) => {
    const source = name.slice(0, 2)
    const [result] = await importFiles([publishedFile(name)])
    expect(result).toMatchObject({ source, version: 1, entries: 3, added: 3 })
    const listEntry = await loadEntry(source, reference)
    expect(listEntry).toMatchObject({ kind: 'person', birth_dates: ['1961-03-14'] })
    expect(listEntry?.countries).toContain('RU')
    expect(listEntry?.names.map((text) => text.toLowerCase())).toEqual(
      ['primary: Arkadiy Zherebtsovsky', ...otherNames].map((text) => text.toLowerCase()),
    )
    const status = await createTestCompliance().listStatus()
    expect(
      status
        .find((list) => list.source === source)
        ?.publishedAt?.toISOString()
        .slice(0, 7),
    ).toBe('2026-08')
  })

  test('a weak alias alone holds no money', async () => {
    await importFiles([publishedFile('eu.xml')])
    const { matches } = await createTestCompliance().screen(pool, { names: ['The Ferryman'] })
    expect(matches).toMatchObject([{ reference: '900001', tier: 'review', score: 9499 }])
  })

  test('politically exposed people, in the columns of OpenSanctions', async () => {
    expect(await importFiles([publishedFile('pep.csv')])).toMatchObject([{ source: 'pep', added: 2 }])
    expect(await loadEntry('pep', 'tern-test-1')).toMatchObject({
      birth_dates: ['1958-11-02'],
      countries: ['DE', 'EC'],
      names: ['primary: Ludmila Carrasco-Wrede', 'alias: Liudmila Karrasko-Vrede', 'alias: L. Carrasco'],
    })
    expect((await loadEntry('pep', 'tern-test-2'))?.names).toEqual(['primary: Desta "Kidane" Hailu-Brandt'])
  })
})

describe('a list imported again', () => {
  test('the same file changes nothing but the time of the check', async () => {
    await importFiles([publishedFile('eu.csv')])
    now = new Date(startedAt.getTime() + 49 * hourMs)
    const isListStale = async () =>
      (await createTestCompliance().listStatus()).find(({ source }) => source === 'eu')?.isStale
    expect(await isListStale()).toBe(true)
    expect(await importFiles([publishedFile('eu.csv')])).toMatchObject([{ version: 1, added: 0, changed: 0, ended: 0 }])
    expect(await isListStale()).toBe(false)
    const { rows } = await pool.query('select from screening_epoch')
    expect(rows).toHaveLength(1)
  })

  test('a vanished entry is kept as ended, and is in force again once it returns', async () => {
    await importFiles([buildSdnFile(tenRows), buildAltFile()])
    const { rows: rowsBefore } = await pool.query("select id from screening_entry where reference = '10'")
    expect(await importFiles([buildSdnFile(tenRows.slice(0, 9)), buildAltFile()])).toMatchObject([
      { version: 2, ended: 1, changed: 0 },
    ])
    expect(await loadEntry('ofac_sdn', '10')).toMatchObject({ ended_version: 2, names: ['primary: KARVE9, Anselm'] })
    expect(
      (await createTestCompliance().screen(pool, { names: ['Anselm Karve9'] })).matches.map((match) => match.reference),
    ).not.toContain('10')
    expect(await importFiles([buildSdnFile(tenRows), buildAltFile('10,3,"aka","KARVE, Ten",-0- ')])).toMatchObject([
      { version: 3, added: 1 },
    ])
    expect(await loadEntry('ofac_sdn', '10')).toMatchObject({
      ended_version: null,
      first_version: 1,
      changed_version: 3,
    })
    const { rows: rowsAfter } = await pool.query("select id from screening_entry where reference = '10'")
    expect(rowsAfter).toEqual(rowsBefore)
  })

  test('only changed entries are written', async () => {
    await importFiles([buildSdnFile(tenRows), buildAltFile()])
    const files = [
      buildSdnFile([...tenRows.slice(0, 9), buildSdnRow(10, 'KARVE9, Anselmo'), buildSdnRow(11, 'NEW, One')]),
      buildAltFile(),
    ]
    expect(await importFiles(files)).toMatchObject([{ version: 2, entries: 11, added: 1, changed: 1, ended: 0 }])
    expect(await loadEntry('ofac_sdn', '9')).toMatchObject({ changed_version: 1 })
    expect(await loadEntry('ofac_sdn', '10')).toMatchObject({ changed_version: 2, names: ['primary: KARVE9, Anselmo'] })
  })
})

describe('a refused file leaves the list in force unchanged', () => {
  const truncateFile = (name: string, share: number) =>
    changeFile(publishedFile(name), (text) => text.slice(0, text.length * share))
  test.each([
    [
      'a cut XML',
      () => [truncateFile('UN_consolidated.xml', 0.6)],
      /UN_consolidated\.xml is refused: it is damaged or cut off/,
    ],
    ['a cut CSV', () => [truncateFile('eu.csv', 0.7)], /eu\.csv is refused: .*cut off/],
    [
      'a cut CSV within quotes',
      () => [truncateFile('pep.csv', 0.99)],
      /pep\.csv is refused: it ends in the middle of a row/,
    ],
    [
      'a cut list of OFAC',
      () => [changeFile(buildSdnFile(tenRows), (text) => text.slice(0, -90)), buildAltFile()],
      /sdn\.csv: row 9 .* cut off/,
    ],
    [
      'aliases of another day',
      () => [buildSdnFile(tenRows), buildAltFile('99,1,"aka","NOBODY",-0- ')],
      /alt\.csv names entry 99/,
    ],
    [
      'an entry twice',
      () => [buildSdnFile([...tenRows, buildSdnRow(3, 'OTHER, One')]), buildAltFile()],
      /sdn\.csv has entry 3 twice/,
    ],
    ['an empty file', () => [buildSdnFile(tenRows), { name: 'alt.csv', bytes: new Uint8Array() }], /alt\.csv is empty/],
    [
      'a list of OFAC that ends within quotes',
      () => [changeFile(buildSdnFile(tenRows), (text) => text.slice(0, text.lastIndexOf('KARVE') + 3)), buildAltFile()],
      /sdn\.csv is refused: it ends in the middle of a row/,
    ],
    [
      'a damaged list beside a good one',
      () => [publishedFile('uk.csv'), changeFile(publishedFile('eu.csv'), (text) => text.slice(0, text.length * 0.7))],
      /eu\.csv is refused/,
    ],
    ['OFAC without aliases', () => [buildSdnFile(tenRows)], /sdn\.csv needs alt\.csv/],
    ['aliases alone', () => [buildAltFile()], /alt\.csv belongs to sdn\.csv/],
    [
      'another file',
      () => [{ name: 'me.csv', bytes: new TextEncoder().encode('a,b\n1,2\n') }],
      /me\.csv is none of the lists/,
    ],
    [
      'an XML that fetches entities',
      () => [changeFile(publishedFile('eu.xml'), (text) => text.replace('?>', '?><!DOCTYPE export SYSTEM "x">'))],
      /DOCTYPE/,
    ],
    ['bytes', () => [{ name: 'x.xml', bytes: new Uint8Array([0xff, 0xfe, 0x00]) }], /x\.xml is not written in UTF-8/],
    [
      'a list that shrinks',
      () => [buildSdnFile(tenRows.slice(0, 7)), buildAltFile()],
      /3 of 10 entries would vanish, more than 20 %/,
    ],
  ])('%s', async (_name, files, sentence) => {
    await importFiles([buildSdnFile(tenRows), buildAltFile()])
    await expect(importFiles(files())).rejects.toThrow(sentence)
    const { rows } = await pool.query('select source, version from screening_list')
    expect(rows).toEqual([{ source: 'ofac_sdn', version: 1 }])
    expect((await createTestCompliance().screen(pool, { names: ['Anselm Karve9'] })).matches[0]?.tier).toBe('hold')
  })

  test('files older than the list in force', async () => {
    await importFiles([publishedFile('eu.xml')])
    const olderFile = changeFile(publishedFile('eu.xml'), (text) => text.replace('2026-08-05T', '2026-07-05T'))
    await expect(importFiles([olderFile])).rejects.toThrow(/older than the list in force \(2026-08-05\)/)
    expect(await importFiles([olderFile], true)).toMatchObject([{ version: 2, added: 0, changed: 0, ended: 0 }])
  })

  test('a shrinking list is accepted on request', async () => {
    await importFiles([buildSdnFile(tenRows), buildAltFile()])
    expect(await importFiles([buildSdnFile(tenRows.slice(0, 2)), buildAltFile()], true)).toMatchObject([
      { version: 2, ended: 8 },
    ])
  })
})
