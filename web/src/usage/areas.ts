/** The four API areas, from the bottom of a column up. */
export const areas = [
  { name: 'REST', field: 'totalRestRequests', tone: 'rest' },
  { name: 'Storage', field: 'totalStorageRequests', tone: 'storage' },
  { name: 'Auth', field: 'totalAuthRequests', tone: 'auth' },
  { name: 'Realtime', field: 'totalRealtimeRequests', tone: 'realtime' },
] as const;
