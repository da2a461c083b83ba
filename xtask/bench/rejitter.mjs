export * from 'rejitter';
export * from 'rejitter/protection';
