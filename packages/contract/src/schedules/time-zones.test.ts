import { expect, test } from 'vitest'
import { isTimeZone } from './time-zones.ts'

test.each([
  ...[
    'Asia/Calcutta',
    'Asia/Kolkata',
    'Europe/Kiev',
    'Europe/Kyiv',
    'America/Coyhaique',
    'Africa/Cairo',
    'Asia/Almaty',
  ],
  ...[
    'Pacific/Apia',
    'Pacific/Kiritimati',
    'Pacific/Pago_Pago',
    'Antarctica/Troll',
    'Australia/Lord_Howe',
    'Asia/Rangoon',
  ],
  ...['America/Buenos_Aires', 'America/Argentina/ComodRivadavia', 'US/Pacific', 'Etc/GMT+3', 'Etc/GMT-14', 'Etc/UTC'],
  ...['UTC', 'GMT', 'EST', 'EST5EDT', 'CET', 'Zulu', 'GB-Eire', 'NZ-CHAT', 'W-SU', 'europe/paris', 'EUROPE/PARIS'],
  ...Intl.supportedValuesOf('timeZone'),
])('%s is a time zone', (name) => expect(isTimeZone(name)).toBe(true))

test.each([
  ...[
    'Etc/Unknown',
    'etc/unknown',
    'GMT+3',
    'UTC+3',
    '+05:30',
    '-03:00',
    '+0530',
    '−03:00',
    'Z',
    'localtime',
    'Factory',
  ],
  ...['BST', 'IST', 'PST', 'bst', 'SystemV/EST5', 'posixrules', 'right/UTC', 'posix/Europe/Paris', 'Mars/Olympus', ''],
  ...[
    ' UTC',
    'UTC ',
    'Europe/Paris; drop',
    'Europe',
    'Europe/',
    '/Europe/Paris',
    'Europe\\Paris',
    '../UTC',
    'undefined',
  ],
  ...['zone.tab', 'Europe/Paris\0', 'Ευρώπη/Παρίσι', 'a'.repeat(10_000)],
])('%j is no time zone', (name) => expect(isTimeZone(name)).toBe(false))
