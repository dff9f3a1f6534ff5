// Nationalities: every country of ISO 3166-1 by its English name in the Unicode CLDR. The names are copied here because
// browsers and servers ship different CLDR versions. Codes for people without a nationality: ICAO 9303, part 3.

const iso3166 = `
  AD AND Andorra, AE ARE United Arab Emirates, AF AFG Afghanistan, AG ATG Antigua & Barbuda, AI AIA Anguilla,
  AL ALB Albania, AM ARM Armenia, AO AGO Angola, AQ ATA Antarctica, AR ARG Argentina, AS ASM American Samoa,
  AT AUT Austria, AU AUS Australia, AW ABW Aruba, AX ALA Åland Islands, AZ AZE Azerbaijan,
  BA BIH Bosnia & Herzegovina, BB BRB Barbados, BD BGD Bangladesh, BE BEL Belgium, BF BFA Burkina Faso,
  BG BGR Bulgaria, BH BHR Bahrain, BI BDI Burundi, BJ BEN Benin, BL BLM St. Barthélemy, BM BMU Bermuda,
  BN BRN Brunei, BO BOL Bolivia, BQ BES Caribbean Netherlands, BR BRA Brazil, BS BHS Bahamas, BT BTN Bhutan,
  BV BVT Bouvet Island, BW BWA Botswana, BY BLR Belarus, BZ BLZ Belize, CA CAN Canada,
  CC CCK Cocos (Keeling) Islands, CD COD Congo - Kinshasa, CF CAF Central African Republic,
  CG COG Congo - Brazzaville, CH CHE Switzerland, CI CIV Côte d’Ivoire, CK COK Cook Islands, CL CHL Chile,
  CM CMR Cameroon, CN CHN China, CO COL Colombia, CR CRI Costa Rica, CU CUB Cuba, CV CPV Cape Verde, CW CUW Curaçao,
  CX CXR Christmas Island, CY CYP Cyprus, CZ CZE Czechia, DE DEU Germany, DJ DJI Djibouti, DK DNK Denmark,
  DM DMA Dominica, DO DOM Dominican Republic, DZ DZA Algeria, EC ECU Ecuador, EE EST Estonia, EG EGY Egypt,
  EH ESH Western Sahara, ER ERI Eritrea, ES ESP Spain, ET ETH Ethiopia, FI FIN Finland, FJ FJI Fiji,
  FK FLK Falkland Islands, FM FSM Micronesia, FO FRO Faroe Islands, FR FRA France, GA GAB Gabon,
  GB GBR United Kingdom, GD GRD Grenada, GE GEO Georgia, GF GUF French Guiana, GG GGY Guernsey, GH GHA Ghana,
  GI GIB Gibraltar, GL GRL Greenland, GM GMB Gambia, GN GIN Guinea, GP GLP Guadeloupe, GQ GNQ Equatorial Guinea,
  GR GRC Greece, GS SGS South Georgia & South Sandwich Islands, GT GTM Guatemala, GU GUM Guam, GW GNB Guinea-Bissau,
  GY GUY Guyana, HK HKG Hong Kong SAR China, HM HMD Heard & McDonald Islands, HN HND Honduras, HR HRV Croatia,
  HT HTI Haiti, HU HUN Hungary, ID IDN Indonesia, IE IRL Ireland, IL ISR Israel, IM IMN Isle of Man, IN IND India,
  IO IOT British Indian Ocean Territory, IQ IRQ Iraq, IR IRN Iran, IS ISL Iceland, IT ITA Italy, JE JEY Jersey,
  JM JAM Jamaica, JO JOR Jordan, JP JPN Japan, KE KEN Kenya, KG KGZ Kyrgyzstan, KH KHM Cambodia, KI KIR Kiribati,
  KM COM Comoros, KN KNA St. Kitts & Nevis, KP PRK North Korea, KR KOR South Korea, KW KWT Kuwait,
  KY CYM Cayman Islands, KZ KAZ Kazakhstan, LA LAO Laos, LB LBN Lebanon, LC LCA St. Lucia, LI LIE Liechtenstein,
  LK LKA Sri Lanka, LR LBR Liberia, LS LSO Lesotho, LT LTU Lithuania, LU LUX Luxembourg, LV LVA Latvia, LY LBY Libya,
  MA MAR Morocco, MC MCO Monaco, MD MDA Moldova, ME MNE Montenegro, MF MAF St. Martin, MG MDG Madagascar,
  MH MHL Marshall Islands, MK MKD North Macedonia, ML MLI Mali, MM MMR Myanmar (Burma), MN MNG Mongolia,
  MO MAC Macao SAR China, MP MNP Northern Mariana Islands, MQ MTQ Martinique, MR MRT Mauritania, MS MSR Montserrat,
  MT MLT Malta, MU MUS Mauritius, MV MDV Maldives, MW MWI Malawi, MX MEX Mexico, MY MYS Malaysia, MZ MOZ Mozambique,
  NA NAM Namibia, NC NCL New Caledonia, NE NER Niger, NF NFK Norfolk Island, NG NGA Nigeria, NI NIC Nicaragua,
  NL NLD Netherlands, NO NOR Norway, NP NPL Nepal, NR NRU Nauru, NU NIU Niue, NZ NZL New Zealand, OM OMN Oman,
  PA PAN Panama, PE PER Peru, PF PYF French Polynesia, PG PNG Papua New Guinea, PH PHL Philippines, PK PAK Pakistan,
  PL POL Poland, PM SPM St. Pierre & Miquelon, PN PCN Pitcairn Islands, PR PRI Puerto Rico,
  PS PSE Palestinian Territories, PT PRT Portugal, PW PLW Palau, PY PRY Paraguay, QA QAT Qatar, RE REU Réunion,
  RO ROU Romania, RS SRB Serbia, RU RUS Russia, RW RWA Rwanda, SA SAU Saudi Arabia, SB SLB Solomon Islands,
  SC SYC Seychelles, SD SDN Sudan, SE SWE Sweden, SG SGP Singapore, SH SHN St. Helena, SI SVN Slovenia,
  SJ SJM Svalbard & Jan Mayen, SK SVK Slovakia, SL SLE Sierra Leone, SM SMR San Marino, SN SEN Senegal,
  SO SOM Somalia, SR SUR Suriname, SS SSD South Sudan, ST STP São Tomé & Príncipe, SV SLV El Salvador,
  SX SXM Sint Maarten, SY SYR Syria, SZ SWZ Eswatini, TC TCA Turks & Caicos Islands, TD TCD Chad,
  TF ATF French Southern Territories, TG TGO Togo, TH THA Thailand, TJ TJK Tajikistan, TK TKL Tokelau,
  TL TLS Timor-Leste, TM TKM Turkmenistan, TN TUN Tunisia, TO TON Tonga, TR TUR Türkiye, TT TTO Trinidad & Tobago,
  TV TUV Tuvalu, TW TWN Taiwan, TZ TZA Tanzania, UA UKR Ukraine, UG UGA Uganda, UM UMI U.S. Outlying Islands,
  US USA United States, UY URY Uruguay, UZ UZB Uzbekistan, VA VAT Vatican City, VC VCT St. Vincent & Grenadines,
  VE VEN Venezuela, VG VGB British Virgin Islands, VI VIR U.S. Virgin Islands, VN VNM Vietnam, VU VUT Vanuatu,
  WF WLF Wallis & Futuna, WS WSM Samoa, YE YEM Yemen, YT MYT Mayotte, ZA ZAF South Africa, ZM ZMB Zambia,
  ZW ZWE Zimbabwe
`

export interface Nationality {
  /** ISO 3166-1 alpha-2, `XK` for Kosovo, or a code of ICAO 9303. */
  readonly code: string
  /** Name as sent and stored. */
  readonly name: string
}

/** Entries for people without a nationality: stateless (1954 Convention) and refugees (1951 Convention). */
export const specialStatuses: readonly Nationality[] = [
  { code: 'XXA', name: 'Stateless' },
  { code: 'XXB', name: 'Refugee' },
]

const countries = iso3166
  .split(',')
  .map((entry) => entry.trim())
  .map((entry) => ({ code: entry.slice(0, 2), alpha3: entry.slice(3, 6), name: entry.slice(7) }))

/** Countries of citizenship by name: those of ISO 3166-1, and Kosovo, which has no ISO code. */
export const citizenships: readonly Nationality[] = [...countries, { code: 'XK', name: 'Kosovo' }]
  .map(({ code, name }) => ({ code, name }))
  .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))

/** Other English names in use, and ICAO 9303 codes of countries and refugees, by normalized name. */
const alternativeNames: Readonly<Record<string, string>> = {
  'bonaire sint eustatius and saba': 'BQ',
  'bosnia and herzegovina': 'BA',
  'brunei darussalam': 'BN',
  burma: 'MM',
  'cabo verde': 'CV',
  congo: 'CG',
  'congo democratic republic': 'CD',
  'congo democratic republic of the': 'CD',
  'congo the democratic republic of the': 'CD',
  'czech republic': 'CZ',
  d: 'DE',
  'democratic people s republic of korea': 'KP',
  'democratic republic of congo': 'CD',
  'democratic republic of the congo': 'CD',
  'dr congo': 'CD',
  drc: 'CD',
  'east timor': 'TL',
  'falkland islands malvinas': 'FK',
  gbd: 'GB',
  gbn: 'GB',
  gbo: 'GB',
  gbp: 'GB',
  gbs: 'GB',
  'great britain': 'GB',
  'heard island and mcdonald islands': 'HM',
  holland: 'NL',
  'holy see': 'VA',
  'holy see vatican city state': 'VA',
  'hong kong': 'HK',
  'ivory coast': 'CI',
  'korea democratic people s republic of': 'KP',
  'korea republic of': 'KR',
  'kyrgyz republic': 'KG',
  'lao people s democratic republic': 'LA',
  macao: 'MO',
  macau: 'MO',
  macedonia: 'MK',
  myanmar: 'MM',
  palestine: 'PS',
  pitcairn: 'PN',
  'republic of china': 'TW',
  'republic of korea': 'KR',
  'republic of the congo': 'CG',
  rks: 'XK',
  'russian federation': 'RU',
  'slovak republic': 'SK',
  'south georgia and the south sandwich islands': 'GS',
  'st helena ascension and tristan da cunha': 'SH',
  'st vincent and the grenadines': 'VC',
  swaziland: 'SZ',
  'syrian arab republic': 'SY',
  turkey: 'TR',
  uae: 'AE',
  uk: 'GB',
  'united kingdom of great britain and northern ireland': 'GB',
  'united states minor outlying islands': 'UM',
  'united states of america': 'US',
  unk: 'XK',
  vatican: 'VA',
  'viet nam': 'VN',
  'virgin islands british': 'VG',
  'virgin islands u s': 'VI',
  xkx: 'XK',
  xxc: 'XXB',
}

/** Normalizes a country's name: no case, accents or punctuation. */
export const normalizeCountryName = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('&', ' and ')
    .replaceAll(/[^a-z]+/g, ' ')
    .trim()

const nationalitiesByName = new Map<string, Nationality>()
for (const nationality of [...citizenships, ...specialStatuses]) {
  nationalitiesByName.set(normalizeCountryName(nationality.name), nationality)
  nationalitiesByName.set(normalizeCountryName(nationality.code), nationality)
}
const codesByName = new Map(Object.entries(alternativeNames))
for (const { code, alpha3 } of countries) codesByName.set(normalizeCountryName(alpha3), code)

/** Looks up a normalized name, ignoring a leading article and abbreviating `Saint` to `St.`. */
function findByName(plain: string): Nationality | undefined {
  const name = plain.replace(/^the /, '').replace(/^saint /, 'st ')
  return nationalitiesByName.get(name) ?? nationalitiesByName.get(normalizeCountryName(codesByName.get(name) ?? ''))
}

/** Patterns of official names: `Plurinational State of Bolivia`, also after a comma or in brackets. */
const officialNamePatterns = [
  /\b(?:republic|kingdom|states?|commonwealth|principality|sultanate|union|duchy) of (?<short>.+)$/i,
  /^(?<short>[^,(]+)[,(].*\b(?:of|the|part)\b/i,
]

/** Resolves a name, an official name, or a code of ISO 3166-1 or ICAO 9303; undefined if unknown. */
export function findNationality(text: string): Nationality | undefined {
  const shortNames = officialNamePatterns.map((pattern) => pattern.exec(text)?.groups?.short ?? '')
  return [text, ...shortNames]
    .map((name) => findByName(normalizeCountryName(name)))
    .find((nationality) => nationality !== undefined)
}
