import { expect, test } from 'vitest'
import { type Message, readMessages, computeDelay } from './event-stream.ts'

const stream = [
  'retry: 1000\n\n',
  'event: balance\nid: 41\ndata: {"type":"balance"}\n\n',
  ': still here\n\n',
  'id: 41-on\n\n',
  'event: transaction\nid: 42\ndata: {"a":\ndata: "ö"}\n\n',
  'data: cut off',
].join('')

async function* splitChunks(length: number): AsyncGenerator<string> {
  for (let at = 0; at < stream.length; at += length) yield stream.slice(at, at + length)
}

async function collectMessages(chunks: AsyncIterable<string>): Promise<Message[]> {
  const messages: Message[] = []
  for await (const message of readMessages(chunks)) messages.push(message)
  return messages
}

test('complete messages are parsed from any chunks, also those with only an id; an unfinished one is not', async () => {
  const expected = [
    { id: '41', data: '{"type":"balance"}' },
    { id: '41-on', data: '' },
    { id: '42', data: '{"a":\n"ö"}' },
  ]
  for (let length = 1; length <= stream.length; length++) {
    expect(await collectMessages(splitChunks(length))).toEqual(expected)
  }
})

test('pauses between attempts grow to half a minute, and vary between clients', () => {
  expect([0, 1, 2, 10].map((attempt) => computeDelay(attempt, 1))).toEqual([1000, 2000, 4000, 30_000])
  expect(computeDelay(3, 0)).toBe(4000)
})
