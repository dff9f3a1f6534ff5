import * as z from 'zod/mini'
import { publicUserShape } from '../identity.ts'
import { endpoint } from '../protocol/endpoint.ts'
import { noContent, userNumberText } from '../protocol/wire.ts'

export const favorites = endpoint({
  method: 'GET',
  path: '/user/favorites',
  summary: "The caller's favorites, newest first.",
  access: 'session',
  reply: z.array(publicUserShape),
})

export const addFavorite = endpoint({
  method: 'PUT',
  path: '/user/favorites/:id',
  summary: 'Mark a user as a favorite, once a payment between the two has arrived. Idempotent. At most 24.',
  access: 'session',
  params: z.object({ id: userNumberText }),
  ...noContent,
  refusals: ['not_found', 'too_many_favorites', 'rate_limited'],
})

export const removeFavorite = endpoint({
  method: 'DELETE',
  path: '/user/favorites/:id',
  summary: 'Remove a favorite. Idempotent.',
  access: 'session',
  params: z.object({ id: userNumberText }),
  ...noContent,
  refusals: ['rate_limited'],
})
