/** The four API areas, in stacking order. */
export const areas = [
  { name: 'REST', field: 'totalRestRequests', tone: 'rest' },
  { name: 'Storage', field: 'totalStorageRequests', tone: 'storage' },
  { name: 'Auth', field: 'totalAuthRequests', tone: 'auth' },
  { name: 'Realtime', field: 'totalRealtimeRequests', tone: 'realtime' },
] as const;
