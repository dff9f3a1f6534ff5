import { describe, expect, test } from 'vitest'
import {
  findAnnouncement,
  announcementText,
  formatRemainingShort,
  formatRemaining,
  secondsUntil,
  chooseSegment,
  listSegments,
} from './countdown.ts'

test('rounds seconds up, so that the last one is shown until the end', () => {
  expect(secondsUntil(15_000, 0)).toBe(15)
  expect(secondsUntil(15_000, 1)).toBe(15)
  expect(secondsUntil(15_000, 1000)).toBe(14)
  expect(secondsUntil(15_000, 14_999)).toBe(1)
  expect(secondsUntil(15_000, 15_000)).toBe(0)
  expect(secondsUntil(15_000, 90_000)).toBe(0)
})

test.each([
  [1, '1 second', '1 s'],
  [12, '12 seconds', '12 s'],
  [90, '90 seconds', '90 s'],
  [91, '2 minutes', '1:31'],
  [300, '5 minutes', '5:00'],
  [1800, '30 minutes', '30:00'],
])('%i seconds are "%s" in a sentence and "%s" on a button', (seconds, longText, shortText) => {
  expect(formatRemaining(seconds)).toBe(longText)
  expect(formatRemainingShort(seconds)).toBe(shortText)
})

describe('the bar', () => {
  test.each([
    [1, 1, 1],
    [15, 1, 15],
    [30, 1, 30],
    [31, 5, 7],
    [60, 5, 12],
    [300, 30, 10],
    [900, 30, 30],
    [1800, 60, 30],
  ])('of %i seconds has segments of %i, %i of them', (seconds, segment, count) => {
    expect(chooseSegment(seconds)).toBe(segment)
    expect(listSegments(seconds)).toHaveLength(count)
  })

  test('has segments that sum to the whole window, for every possible window', () => {
    for (let seconds = 1; seconds <= 1800; seconds += 1) {
      const segments = listSegments(seconds)
      expect(segments.length).toBeLessThanOrEqual(30)
      let end = 0
      for (const { from, length } of segments) {
        expect(from).toBe(end)
        end += length
      }
      expect(end).toBe(seconds)
    }
  })
})

test('is announced at 12 and at 5 seconds, and at its start if that is below', () => {
  const announcements = Array.from({ length: 16 }, (_, elapsed) => findAnnouncement(15 - elapsed))
  expect(announcements.indexOf('first')).toBe(3)
  expect(announcements.indexOf('last')).toBe(10)
  expect(announcements[15]).toBeUndefined()
  expect(announcementText('first', 12)).toBe('You can undo this for 12 seconds.')
  expect(announcementText('last', 5)).toBe('5 seconds left to undo.')
  expect(announcementText('last', 1)).toBe('1 second left to undo.')
})
